"""The errors that people see: what happened, what to do next, and the exit code (`exit_codes.py`).

MaxAgentError               1  the run failed
├── ModelError              1  the provider failed: models/errors.py
├── ThreadBusyError         1  another process holds the thread
├── UsageError              2  a wrong option, argument, path or configuration
│   └── UnfinishedTurnError 2  a new message for a thread whose turn has not ended
├── LimitReachedError       3  steps, repair rounds or context used up; the thread can resume
└── NotInteractiveError     4  a question, and no user at a terminal to answer it
"""

from . import exit_codes
from .text import join_texts


class MaxAgentError(RuntimeError):
    """An error with a hint; the command line shows both and never a traceback.

    LangGraph's server sends its clients the message of a RuntimeError, of others only the type.
    """

    exit_code: int = exit_codes.FAILED

    def __init__(self, message: str, *, hint: str = "", program_hint: str = "") -> None:
        """`program_hint` is for a program, where it does something else than a user would."""
        super().__init__(message)
        self.message = message
        self.hint = hint
        self.program_hint = program_hint

    def __str__(self) -> str:
        """Return the message with the hint: a program that prints it has both."""
        hint = self.program_hint or self.hint
        return join_texts("; ", [self.message, hint]) if hint else self.message


class ModelError(MaxAgentError):
    """The provider rejected the request, failed or answered nonsense."""


class ThreadBusyError(MaxAgentError):
    """Another process is running this thread."""


class UsageError(MaxAgentError):
    """The user's input or configuration is wrong; nothing was changed."""

    exit_code = exit_codes.USAGE


class UnfinishedTurnError(UsageError):
    """The thread has unfinished work: resume or abandon it before a new message."""


class LimitReachedError(MaxAgentError):
    """A limit ended the run early; all work so far is kept."""

    exit_code = exit_codes.LIMIT_REACHED


class NotInteractiveError(MaxAgentError):
    """The user must confirm or enter something and is not at a terminal; nothing was changed."""

    exit_code = exit_codes.NEEDS_ANSWER

    def __init__(
        self,
        message: str = "this needs your approval, but there is no terminal to ask at",
        *,
        hint: str,
    ) -> None:
        super().__init__(message, hint=hint)


# Names that scripts of earlier versions import
ThreadBusy = ThreadBusyError
UnfinishedTurn = UnfinishedTurnError
