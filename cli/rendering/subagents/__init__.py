"""What is shown of sub-agents while they work."""
