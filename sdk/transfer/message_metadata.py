"""Metadata that nodes add to messages, and its validation in imported messages."""

from typing import Literal

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from pydantic import ConfigDict, TypeAdapter, with_config
from typing_extensions import TypedDict

from ...nodes.roles import RoleName


@with_config(ConfigDict(extra="ignore", strict=True))
class _Marks(TypedDict, total=False):
    """Of `additional_kwargs`; its other keys are never read."""

    role: RoleName
    """The role whose conversation has it."""
    step: int
    """Number of the answer in the thread."""
    reasoning_content: str
    seen: dict[str, str]
    """Files that it shows or that were written, by path, with their content hash."""
    unchanged_since: str
    """ID of the call whose answer it refers to."""
    instructions: list[str]
    """Instruction files that it includes."""
    instructions_left: list[str]
    """Instruction files for which it had no room."""
    instructions_passed_over: list[str]
    """Instruction files that were not trusted."""
    skills: dict[str, str]
    """Skills that it has in full, and the hash of each."""
    cards: list[str]
    """Cards that it shows, by their short IDs."""
    synthetic: Literal[True]
    """The graph wrote it."""
    aside: Literal[True]
    """Side context of the user's message."""
    steered: Literal[True]
    """The user sent it while the model worked."""
    interrupted: Literal[True]
    """The answer was cut short."""
    tree: str
    """Snapshot of the files when the answer was given."""
    loop: int
    """How often the model has been told that it repeats itself."""
    hides: list[str]
    """IDs of messages that it is not sent any more."""
    told: Literal[True]
    """The model has been informed of the interruption."""


_MARKS = TypeAdapter(_Marks)
_OF_INSTRUCTIONS = ("instructions", "instructions_left", "instructions_passed_over")
_OF_HUMANS = ("synthetic", "aside", "steered", "cards", "loop", "hides", *_OF_INSTRUCTIONS)


def check_marks(message: BaseMessage) -> None:
    """Raise ValueError for an invalid mark, or one where our nodes set none."""
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
