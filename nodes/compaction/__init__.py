"""Compaction of a conversation: when, the summary, what the state knows, the new cut."""
