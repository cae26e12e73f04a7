"""Logins to MCP servers: OAuth 2.1 with PKCE, discovery and registration."""
