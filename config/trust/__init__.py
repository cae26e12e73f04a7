"""Trust in a project folder: its inventory, the user's consent, and its record."""
