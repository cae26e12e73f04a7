"""The terminal's doors: one file a command; nobody imports this floor."""
