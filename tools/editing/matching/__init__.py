"""Locating the text of an edit request in a file."""
