"""Lists and tables of what exists: threads, models, settings, steps, project files."""
