"""Sub-agents as the state and a run know them: the task of each child, its report, its place."""
