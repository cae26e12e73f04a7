"""Background commands of a thread: their record in the journal, and what the model is told."""
