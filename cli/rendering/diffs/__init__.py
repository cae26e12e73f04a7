"""Unified diffs for people: file names, line numbers, syntax, and the changed words."""
