"""Questions to the user in the terminal, and reading the answers."""
