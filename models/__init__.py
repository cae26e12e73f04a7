"""Chat models and the data of their providers."""
