"""The events of each part of a run; `sdk/events.py` has them all."""
