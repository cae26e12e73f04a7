"""Readers and writers of LangGraph's checkpoints: steps, writes, messages, search."""
