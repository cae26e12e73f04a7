"""The view of a conversation: the messages that a model is sent of it."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage

from .cut import Cut


def build_view(messages: Sequence[AnyMessage], cut: Cut | None) -> list[AnyMessage]:
    """Return what a model is sent of a conversation's messages (pure).

    The user's earlier messages, the summary, the newest one if it is hidden, and everything after
    the cut, with stubs for what was pruned. Unchanged messages stay the same objects.
    """
    return [*messages]


def estimate_view(messages: Sequence[AnyMessage], cut: Cut) -> int:
    """Return the estimated, scaled tokens of the view with this cut, without what precedes it."""
    return 0
