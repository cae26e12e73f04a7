"""What a command line changes: files that it replaces, git's history, and what lies outside."""
