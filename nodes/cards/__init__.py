"""Memory in a run: the cards that a model is shown, and where a new one comes from."""
