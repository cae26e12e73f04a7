"""Skills in a run: loaded by the user or the model, kept when the conversation is compacted."""
