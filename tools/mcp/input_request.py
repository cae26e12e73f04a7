"""Questions that an MCP server asks while it works on a call, and their answers."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class InputRequest:
    """One question of a server to the user."""

    kind: Literal["form", "url"]
    message: str
    schema: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """JSON schema of the form: flat, with texts, numbers, yes or no, and choices."""
    url: str = ""
    """The page to open, of kind `url`."""


@dataclass(frozen=True)
class InputRequired:
    """What a server of the new era answers in place of a result: ask this, then call again."""

    requests: Mapping[str, InputRequest]
    """By the server's key for each."""
    state: str = ""
    """The server's own; it goes back with the answers, unread."""
    round: int = 1
    """How often this call has been answered by questions."""


@dataclass(frozen=True)
class InputAnswer:
    """The user's answer to one question."""

    action: Literal["accept", "decline", "cancel"]
    content: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The form's values, of an accepted one."""


@dataclass(frozen=True)
class InputAnswers:
    """The answers to an InputRequired."""

    answers: Mapping[str, InputAnswer]
    state: str = ""
    round: int = 1


# Answers a question that a server of the old era asks while its call runs
Elicit = Callable[[InputRequest], Awaitable[InputAnswer]]
# Reports (progress, total or None, message) of a running call
OnProgress = Callable[[float, float | None, str], None]
