"""Reading LangGraph's checkpoints: steps, writes, messages, search."""
