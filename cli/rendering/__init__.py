"""Output for the terminal: events, tables, diffs, and the console they go through."""
