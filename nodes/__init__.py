"""One step each; what a thread remembers and what a run is given."""
