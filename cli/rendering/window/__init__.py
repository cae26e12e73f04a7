"""What a model is sent of a conversation: the table of its window, and compactions."""
