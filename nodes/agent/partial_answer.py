"""An interrupted answer: its text so far, and the note about it to the model.

The runner adds it to the thread, and no role reads it: a resumed turn sends the same request and
gets a complete answer instead. The model learns of it with the user's next message, once.
"""

from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage

from ...models.text_cleanup import repair_text
from ..roles import RoleName
from ..state import State
from .message_history import LOOP, iter_newest_first
from .modes import build_note

INTERRUPTED = (
    "Your answer was cut short there, by the user or by a limit. Whatever you were about to call "
    "was not called."
)
UNANSWERED = "Your turn was cut short there, before you had answered."


def build_partial_answer(role: RoleName, text: str) -> AIMessage:
    """Build the stored message of a role's partial answer."""
    marked = {"role": role, "interrupted": True}
    return AIMessage(repair_text(text), id=f"half-{uuid4().hex}", additional_kwargs=marked)


def build_interruption_notes(state: State, role: RoleName) -> list[AnyMessage]:
    """Return the previous turn's partial answer and the note that it was interrupted, if it was.

    With the note last, the conversation never ends with the model's own text, which a provider
    would continue or reject. A partial answer is left out if a complete one followed.
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
    if LOOP in last.additional_kwargs:  # it says itself why the turn has ended
        return []
    return [build_note(role, UNANSWERED)]
