"""Markdown of the model's answer, laid out for the terminal as it streams."""
