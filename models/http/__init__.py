"""What all dialects share: HTTP, server-sent events, the chat model."""
