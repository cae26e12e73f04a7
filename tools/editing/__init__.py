"""The edit engine: text in, text out; what a request changes is found and only that is written."""
