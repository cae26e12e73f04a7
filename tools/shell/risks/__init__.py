"""Checks for dangerous effects of a command line."""
