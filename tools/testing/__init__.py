"""The project's own tests: finding their commands, running them, reading their reports."""
