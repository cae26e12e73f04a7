"""The client: sessions over stdio and HTTP; all that imports `mcp`, but for logins."""
