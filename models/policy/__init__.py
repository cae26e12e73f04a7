"""What an administrator's policy lets models be asked, and what was used of it."""
