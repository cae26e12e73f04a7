"""Graphs of the jobs, with their nodes and edges; also opened by LangGraph Studio."""
