"""Servers of the Model Context Protocol (MCP): their configuration, connections and tools."""
