"""A shop so small that it fits a demonstration."""
