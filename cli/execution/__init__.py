"""Runs that the command line starts: show their events, answer their questions, stop them."""
