"""Escape codes for the terminal's window: title, bell, notification, the program's state."""

import base64
import os
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Literal

from ..rendering.sanitize import sanitize_line

if TYPE_CHECKING:
    from ...sdk.events import Question

# Seconds of a turn from which its end rings the bell
LONG = 10.0
MAX_TITLE_LENGTH = 60
# Bytes of a text for the clipboard; terminals drop a longer code
MAX_COPIED = 74_000
# An older one shows OSC 9;4 as a notification
ITERM_WITH_PROGRESS = [3, 6, 6]
_BELL = "\a"
# Bytes of a message with the program's state, before it is encoded
MAX_MESSAGE = 140
# Terminals that may print a code that they do not know
WITHOUT_STATE = ("", "dumb", "linux")

Write = Callable[[str], None]
State = Literal["idle", "working", "blocked", "done", "error", "clear"]


def build_title_code(words: str) -> str:
    """Return the code that sets the title of the window or tab."""
    return f"\x1b]0;{_clean_text(words)}{_BELL}"


def build_notification_code(words: str) -> str:
    """Return a bell, and a notification for terminals that support it (OSC 9)."""
    return f"\x1b]9;{_clean_text(words)}{_BELL}{_BELL}"


def build_progress_code(state: Literal["busy", "none"], percent: int = 0) -> str:
    """Return the code that shows progress at the tab or in the task bar (OSC 9;4).

    Empty for terminals that would show it as a notification instead. Without `percent` it is only
    shown that something goes on.
    """
    if not shows_progress(os.environ):
        return ""
    if state == "none":
        return f"\x1b]9;4;0;0{_BELL}"
    return f"\x1b]9;4;1;{percent}{_BELL}" if percent else f"\x1b]9;4;3;0{_BELL}"


def build_state_code(state: State, message: str = "", *, kind: str = "") -> str:
    """Return the code that tells the terminal what the program does (OSC 7501).

    `kind` is what it is blocked by: `permission`, `question` or `auth`.
    """
    if os.environ.get("TERM", "") in WITHOUT_STATE:
        return ""
    fields = ["state=clear"] if state == "clear" else [f"state={state}", "app=mcode"]
    if kind:
        fields.append(f"kind={kind}")
    if cleaned := sanitize_line(message).encode()[:MAX_MESSAGE].decode(errors="ignore"):
        fields.append(f"msg={base64.b64encode(cleaned.encode()).decode()}")
    return f"\x1b]7501;{':'.join(fields)}\x1b\\"


def describe_question(question: "Question") -> str:
    """Return the code of a run that waits for an answer."""
    kind = "permission" if question.kind == "approval" else "question"
    return build_state_code("blocked", kind=kind)


def shows_progress(environ: Mapping[str, str]) -> bool:
    """Return whether this terminal is known to show progress."""
    program = environ.get("TERM_PROGRAM", "")
    if program == "iTerm.app":
        version = re.findall(r"\d+", environ.get("TERM_PROGRAM_VERSION", ""))
        return [int(number) for number in version] >= ITERM_WITH_PROGRESS
    is_windows = "WT_SESSION" in environ or environ.get("ConEmuANSI") == "ON"
    return is_windows or program in ("ghostty", "WezTerm")


def build_copy_code(text: str) -> str:
    """Return the code that puts the text on the clipboard (OSC 52), also through SSH."""
    return f"\x1b]52;c;{base64.b64encode(text.encode()).decode()}{_BELL}"


def _clean_text(words: str) -> str:
    return sanitize_line(words)[:MAX_TITLE_LENGTH]
