"""Export and import of threads."""
