"""Undo, redo and restore of file changes."""
