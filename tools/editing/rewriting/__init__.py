"""Fitting the new text to the file's indentation and style."""
