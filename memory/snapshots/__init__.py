"""Snapshots of a project's files before and after each change."""
