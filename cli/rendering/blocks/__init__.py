"""A run as blocks of a terminal: air between them, human words, output and diffs folded."""
