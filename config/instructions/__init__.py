"""Discovery of instruction files, in a folder and below it."""
