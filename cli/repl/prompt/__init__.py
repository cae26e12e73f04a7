"""The input prompt: keys, layout, completion, history, status bar."""
