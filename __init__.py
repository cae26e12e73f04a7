"""MaxAgent: a coding agent for the terminal whose every run is a durable LangGraph thread."""

__version__ = "0.1.0"
