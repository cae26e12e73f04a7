"""The bridge: a summary of hidden messages made without a model."""

from collections.abc import Sequence

from langchain_core.messages import AnyMessage


def build_bridge(messages: Sequence[AnyMessage], tokens: int) -> str:
    """Return a summary of at most so many estimated tokens, in the language of the user's words.

    It has what was asked, constraints and decisions in the user's words, files read and changed,
    commands with exit codes and the last failure, and the last three answers. `messages` are all
    that the next view hides, from the beginning of the conversation.
    """
    return ""
