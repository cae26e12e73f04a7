"""The memory of agents across threads: cards and notes in LangGraph's store."""
