"""The todo list: steps that are planned before the work, and notes about open ones."""
