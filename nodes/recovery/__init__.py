"""What a stop or a kill leaves of a turn, and how the thread continues from it."""
