"""Tools that talk to the user, switch the mode or end the task."""
