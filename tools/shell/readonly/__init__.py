"""Recognition of commands that only read."""
