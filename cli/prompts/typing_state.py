"""What the user has typed before a question: its answer must not be the rest of that.

State of the whole process, as its terminal is.
"""

from dataclasses import dataclass


@dataclass
class TypingState:
    """The unsent line of the prompt that a question has replaced, and the last key of all."""

    draft: str = ""
    """The line; a question that takes it over, or leaves a text of its own, changes it."""
    is_held: bool = False
    """Whether a prompt waits to get the draft back."""
    last_key: float = float("-inf")
    """When the last key was pressed, by the monotonic clock."""


TYPING = TypingState()
