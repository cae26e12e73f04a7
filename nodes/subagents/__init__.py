"""Sub-agents: their input, their limits, their reports."""
