"""The chat model for Anthropic's Messages API and the endpoints that copy it."""
