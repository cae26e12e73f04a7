"""What messages to a model consist of."""
