"""Trust in a project folder: what it brings, what the user agreed to, and where that is stored."""
