"""The project's tests in a run: their commands, and what the results say about the change."""
