"""What nodes note on a message, and whether a stranger's message has it as ours do."""

from typing import Literal

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import ConfigDict, TypeAdapter, with_config
from typing_extensions import TypedDict

from ...nodes.roles import RoleName


@with_config(ConfigDict(extra="ignore", strict=True))
class _Marks(TypedDict, total=False):
    """Of `additional_kwargs`; what else is in it nobody reads."""

    role: RoleName
    """Whose conversation it is part of."""
    step: int
    """Which answer of the thread it is."""
    reasoning_content: str
    seen: dict[str, str]
    """Files that it shows or that were written, by path, with their content hash."""
    instructions: list[str]
    """Instruction files that it tells."""
    instructions_left: list[str]
    """And those for which it had no room."""
    instructions_passed_over: list[str]
    """And those that nobody said yes to."""
    synthetic: Literal[True]
    """Nobody said it."""
    aside: Literal[True]
    """It went with the human's words."""
    interrupted: Literal[True]
    """The answer was cut short."""
    told: Literal[True]
    """And the model has learnt of it."""


_MARKS = TypeAdapter(_Marks)
_OF_INSTRUCTIONS = ("instructions", "instructions_left", "instructions_passed_over")
_OF_HUMANS = ("synthetic", "aside", *_OF_INSTRUCTIONS)


def check_marks(message: BaseMessage) -> None:
    """Raise ValueError where a mark is not what it should be, or stands where none of ours does."""
    marks = _MARKS.validate_python(message.additional_kwargs)
    if not isinstance(message, HumanMessage) and any(name in marks for name in _OF_HUMANS):
        raise ValueError("a message has the marks of another kind")
    if "told" in marks and "interrupted" not in marks:
        raise ValueError("it mentions an interrupted answer that does not exist")
    if "interrupted" in marks and not _is_partial_answer(message):
        raise ValueError("the interrupted answer is not text")


def _is_partial_answer(message: BaseMessage) -> bool:
    is_answer = isinstance(message, AIMessage)
    return is_answer and not message.tool_calls and not message.invalid_tool_calls
