"""The wall around the commands that a model causes: what they can reach, and who holds it."""
