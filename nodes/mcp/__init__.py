"""MCP servers in a run: what a thread is offered, calls of their tools, their questions."""
