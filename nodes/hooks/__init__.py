"""Hooks in a run: around calls, at the end of a turn, at the start of a thread."""
