"""The public names of the events of a run; `nodes/events/union.py` says what they are."""

from ..nodes.events.union import *  # noqa: F403
