"""An answer that was cut short: what had been said of it, and how the model learns of it.

It lies in the thread as the runner puts it there, and nobody hears it: a turn that is resumed makes
the very same request and gets a whole answer in its place. The model is told of it with the human's
next words, once.
"""

from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage

from ...models.text_cleanup import repair_text
from ..roles import RoleName
from ..state import State
from .message_history import iter_newest_first
from .modes import build_note

INTERRUPTED = (
    "Your answer was cut short there, by the user or by a limit. Whatever you were about to call "
    "was not called."
)
UNANSWERED = "Your turn was cut short there, before you had answered."


def build_partial_answer(role: RoleName, text: str) -> AIMessage:
    """What a role had said, as it is kept."""
    marked = {"role": role, "interrupted": True}
    return AIMessage(repair_text(text), id=f"half-{uuid4().hex}", additional_kwargs=marked)


def build_interruption_notes(state: State, role: RoleName) -> list[AnyMessage]:
    """Of the turn before, where it did not come to its end: what was said, and that it did not.

    With the last message the conversation never ends with the model's own words, which a provider
    would go on with or refuse. A half answer that a whole one has followed is not told.
    """
    last_message = next(reversed(state.get("messages", [])), None)
    if isinstance(last_message, AIMessage) and last_message.additional_kwargs.get("interrupted"):
        marked = {**last_message.additional_kwargs, "told": True}
        return [
            last_message.model_copy(update={"additional_kwargs": marked}),
            build_note(role, INTERRUPTED),
        ]
    last = next(iter_newest_first(state, role), None)
    if last is None or isinstance(last, AIMessage) or state.get("outcome") == "answered":
        return []
    return [build_note(role, UNANSWERED)]
