"""When a model cannot answer: waiting, another model, or a thread that parks."""
