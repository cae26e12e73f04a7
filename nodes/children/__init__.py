"""Sub-agents in the state and in a run: each child's task, its report, its slot."""
