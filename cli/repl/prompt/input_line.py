"""What a typed line is: a command of ours, a command of the shell, a note, or a message."""

import re
from typing import Literal, NamedTuple

Kind = Literal["empty", "slash", "shell", "note", "message"]
_SLASH = re.compile(r"/[\w?:.-]*(\s|$)")
"""`/help me`, but not `/etc/hosts is wrong`."""

EXIT_WORDS = ("exit", "quit", "q")


class Line(NamedTuple):
    """A line and what is meant by it."""

    kind: Kind
    text: str
    """Without the mark that said so; a slash command keeps its slash."""


def read_line(typed: str) -> Line:
    """What is meant; only one line alone can be a shell command or a note."""
    text = typed.strip()
    if not text:
        return Line("empty", "")
    if _SLASH.match(text):
        return Line("slash", text)
    if text in EXIT_WORDS:
        return Line("slash", "/exit")
    if "\n" not in text and text.startswith("!"):
        return Line("shell", text[1:].strip()) if text[1:].strip() else Line("empty", "")
    if "\n" not in text and (text == "#" or text.startswith("# ")):
        return Line("note", text[2:].strip())
    return Line("message", text)


def continued(typed: str) -> str | None:
    """The text of a line that goes on, without the backslash at its end; None: it is complete."""
    backslashes = len(typed) - len(typed.rstrip("\\"))
    return typed[:-1] if backslashes % 2 else None
