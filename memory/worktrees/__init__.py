"""Worktrees: copies of a project in which an agent works apart, and their merge back."""
