"""Events of commands in the background."""

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True)
class BackgroundStarted:
    """A command runs in the background: it goes on after its call, at most until MaxAgent ends."""

    type: ClassVar[str] = "background_started"
    id: str
    """ID of the call that started it."""
    command: str
    confined: bool
    """Whether it runs in the sandbox."""


@dataclass(frozen=True)
class BackgroundFinished:
    """A background command has ended, perhaps before this run began."""

    type: ClassVar[str] = "background_finished"
    id: str
    command: str
    exit_code: int | None
    """None if it was killed."""
    killed: bool
    """Whether the model or the user has ended it."""
