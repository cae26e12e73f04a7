"""Kinds of a typed line: a slash command, a shell command, a note, or a message."""

import re
from typing import Literal, NamedTuple

LineKind = Literal["empty", "slash", "shell", "sandboxed", "note", "message"]
# `/help me`, but not `/etc/hosts is wrong`
_SLASH = re.compile(r"/[\w?:.-]*(\s|$)")

EXIT_WORDS = ("exit", "quit", "q", "退出")
# Signs as a Chinese keyboard types them, at the beginning of a line
_WIDE_SIGNS = str.maketrans("／！＃＠", "/!#@")


class InputLine(NamedTuple):
    """A line and its kind."""

    kind: LineKind
    text: str
    """The text without the mark of its kind; a slash command keeps its slash."""


def parse_line(typed: str) -> InputLine:
    """Return the line's kind; only a single line can be a shell command or a note."""
    text = typed = _replace_wide_signs(typed.strip())
    if not text:
        return InputLine("empty", "")
    if _SLASH.match(text):
        return InputLine("slash", text)
    if text in ("?", "？"):
        return InputLine("slash", "/keys")
    if text.casefold() in EXIT_WORDS:
        return InputLine("slash", "/exit")
    if kind := find_shell_kind(typed):
        command = text[2 if kind == "sandboxed" else 1 :].strip()
        return InputLine(kind, command) if command else InputLine("empty", "")
    if "\n" not in text and (text == "#" or text.startswith("# ")):
        return InputLine("note", text[2:].strip())
    return InputLine("message", text)


def find_shell_kind(typed: str) -> Literal["", "shell", "sandboxed"]:
    """Return whether the line is a command of the user (`!`), or one for the sandbox (`!!`)."""
    text = _replace_wide_signs(typed.strip())
    if "\n" in text or not text.startswith("!"):
        return ""
    return "sandboxed" if text.startswith("!!") else "shell"


def _replace_wide_signs(text: str) -> str:
    """Return the line with an ASCII sign at its beginning, where a wide one is."""
    body = text.lstrip("／！＃＠")
    return text[: len(text) - len(body)].translate(_WIDE_SIGNS) + body


def strip_continuation(typed: str) -> str | None:
    """Return a line that continues, without its final backslash; None if it is complete."""
    backslashes = len(typed) - len(typed.rstrip("\\"))
    return typed[:-1] if backslashes % 2 else None
