"""Hooks: commands of the user or the project that run around calls and turns."""
