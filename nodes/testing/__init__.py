"""The project's tests in a run: which are run, what their results say about the change."""
