"""The tools that a model may call; each with its description in Markdown beside it."""
