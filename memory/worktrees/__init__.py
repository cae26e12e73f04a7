"""Worktrees: copies of a project for agents that work in isolation, and the merge back into it."""
