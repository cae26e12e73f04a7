"""Finding the place in a file that an edit means."""
