"""The events of a run, below the nodes that send them; `union.py` has them all."""
