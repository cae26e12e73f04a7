"""Keys and logins of providers: stored keys, GitHub device flow, Copilot."""
