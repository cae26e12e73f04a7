"""The conversation at a terminal: one prompt at the bottom, what happens above it."""
