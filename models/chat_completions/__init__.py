"""The chat model for OpenAI-compatible chat completions servers."""
