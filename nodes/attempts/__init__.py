"""Several attempts at one task: what each is given, how it ended, and which one is kept."""
