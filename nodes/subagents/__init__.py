"""Sub-agents: what one is told, what it may spend, what it reports."""
