"""What a consent covers: what a call starts by a name, and rules that are bound to it."""
