"""Several attempts at one task: the input of each, its result, and which one is kept."""
