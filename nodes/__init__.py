"""Nodes of the graphs, with a thread's state and a run's context."""
