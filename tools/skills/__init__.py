"""Skills as a model sees them: the catalogue, one whole skill, and what a call may load."""
