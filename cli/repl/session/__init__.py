"""A conversation's state and its turns."""
