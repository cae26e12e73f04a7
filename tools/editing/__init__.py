"""The edit engine: find what a request means in a text, and change only that."""
