"""LangGraph Studio: server, graphs, check of the origin."""
