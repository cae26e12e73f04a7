"""The edit engine: it locates the text that a request means, and changes only that."""
