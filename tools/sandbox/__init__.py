"""The sandbox for commands of the model."""
