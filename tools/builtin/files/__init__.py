"""Tools that read, list, search, edit and write files."""
