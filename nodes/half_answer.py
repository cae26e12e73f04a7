"""An answer that the human cut short: what had been said of it, and how the model learns of it.

It lies in the thread as the runner puts it there, and nobody hears it: a turn that is resumed makes
the very same request and gets a whole answer in its place. The model is told of it with the human's
next words, once.
"""

from uuid import uuid4

from langchain_core.messages import AIMessage, AnyMessage

from ..models.characters import repair
from .modes import note
from .state import RoleName, State

INTERRUPTED = (
    "The user interrupted your answer there. Whatever you were about to call was not called."
)


def half_answer(role: RoleName, text: str) -> AIMessage:
    """What a role had said, as it is kept."""
    marked = {"role": role, "interrupted": True}
    return AIMessage(repair(text), id=f"half-{uuid4().hex}", additional_kwargs=marked)


def told_half(state: State, role: RoleName) -> list[AnyMessage]:
    """Of the turn before, where the human did not let it end: what was said, and that they did not.

    With the second message the conversation never ends with the model's own words, which a provider
    would go on with or refuse. What a whole answer has followed is not told.
    """
    said = next(reversed(state.get("messages", [])), None)
    if not isinstance(said, AIMessage) or not said.additional_kwargs.get("interrupted"):
        return []
    heard = {**said.additional_kwargs, "told": True}
    return [said.model_copy(update={"additional_kwargs": heard}), note(role, INTERRUPTED)]
