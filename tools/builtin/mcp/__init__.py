"""The pair of tools that reaches the tools of MCP servers which are not offered themselves."""
