"""Which step follows which; what LangGraph Studio opens."""
