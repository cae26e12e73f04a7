"""Effects of a command line: files replaced, git history, and changes outside the project."""
