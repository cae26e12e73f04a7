"""The commands under `mcode mcp`."""
