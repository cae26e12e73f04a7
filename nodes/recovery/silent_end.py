"""The end of a turn in which the model says nothing more after its work: it is answered for it."""

from collections import Counter
from collections.abc import Sequence

from langchain_core.messages import AIMessage, BaseMessage, ToolMessage

from ...models.errors import EmptyAnswerError, ModelCallError

SILENT_END = "(The model ended without a word. In this turn it called: {calls}.)"


def ends_in_silence(error: ModelCallError, messages: Sequence[BaseMessage]) -> bool:
    """Return whether the model has said nothing about the results of its calls."""
    is_silent = isinstance(error, EmptyAnswerError) and error.retryable
    return is_silent and bool(messages) and isinstance(messages[-1], ToolMessage)


def describe_silent_end(messages: Sequence[BaseMessage]) -> str:
    """Return the answer in place of the model's: what was called since the last message."""
    calls = Counter[str]()
    for message in reversed(messages):
        if isinstance(message, AIMessage):
            calls.update(call["name"] for call in reversed(message.tool_calls))
        elif not isinstance(message, ToolMessage):
            break
    names = [f"`{name}`" + (f" x {count}" if count > 1 else "") for name, count in calls.items()]
    return SILENT_END.format(calls=", ".join(reversed(names)))
