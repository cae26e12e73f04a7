"""The conversation at a terminal: a prompt at the bottom, output above it."""
