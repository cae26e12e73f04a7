"""Encodings of text files: what a person says about them, and what their bytes prove."""
