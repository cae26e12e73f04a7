"""What of a conversation a model is sent, and its size."""
