"""Tools that run commands, read their output, and ask git."""
