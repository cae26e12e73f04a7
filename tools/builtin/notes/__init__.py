"""Tools that keep the model's own notes."""
