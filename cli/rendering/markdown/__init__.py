"""Markdown of the model's answer, laid out for the terminal while it streams."""
