"""The folder that git's configuration names for hooks, instead of `.git/hooks`."""

import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import Path

from .sandbox.git_folders import led_to

LARGEST = 1_000_000
"""Bytes of a configuration that are looked at."""

_LINE = re.compile(r"(?:\"(?:[^\"\\\n]|\\.)*\"?|\\.|[^\"\\#;\n]+)*(?:[#;][^\n]*)?", re.DOTALL)
"""It goes on behind a backslash at its end, unless that is escaped or in a comment."""
_HEADER = re.compile(r"\s*\[\s*([\w.-]+)\s*(\"(?:[^\"\\]|\\.)*\")?\s*\]", re.ASCII)
_SETTING = re.compile(r"\s*hookspath\s*=\s*(.*)", re.IGNORECASE | re.ASCII | re.DOTALL)
_PIECE = re.compile(r"\"((?:[^\"\\]|\\.)*)\"?|(\\.)|([#;].*)|([^\"\\#;]+)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b", "\n": ""}
_BLANKS = " \t\r"


def hooks_folder(root: Path) -> Path | None:
    """Where git finds the hooks of the checkout that `root` is in, if that is in the project."""
    top = next((one for one in (root, *root.parents) if os.path.lexists(one / ".git")), None)
    if top is None:
        return None
    folders = led_to(top) if (top / ".git").is_file() else [top / ".git"]
    configs = [*_of_the_user(), *(folder / "config" for folder in reversed(folders))]
    configs += [folder / "config.worktree" for folder in folders]
    named = [place for config in configs for place in _named(config)]
    if not named:
        return None
    place = Path(os.path.realpath(top / os.path.expanduser(named[-1])))  # the last one counts
    return place if place.is_relative_to(root) and place != root else None


def is_hook(root: Path, path: str) -> bool:
    """Whether a path, relative to the root, is the hooks' folder or in it."""
    folder = hooks_folder(root)
    return folder is not None and Path(os.path.normpath(root / path)).is_relative_to(folder)


def _of_the_user() -> list[Path]:
    """Their own configuration, whose hooks may lie in each repository."""
    home = Path(os.path.expanduser("~"))
    above = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return [above / "git/config", home / ".gitconfig"]


def _named(config: Path) -> Iterator[str]:
    """Every `core.hooksPath` of a configuration, in order."""
    if not config.is_file():  # a pipe would hold us
        return
    with config.open("rb") as file:
        text = os.fsdecode(file.read(LARGEST).removeprefix(BOM_UTF8)).replace("\r\n", "\n")
    section = ""
    for line in _LINE.findall(f"{text}\n"):
        while header := _HEADER.match(line):  # a setting may stand behind it
            section = "" if header[2] else header[1].lower()
            line = line[header.end() :]
        if section == "core" and (setting := _SETTING.match(line)):
            yield _value(setting[1])


def _value(written: str) -> str:
    """A value as git reads it: without quotes, comment and blanks at its end."""
    value, end = "", 0
    for quoted, escaped, comment, plain in _PIECE.findall(written):
        if comment:
            break
        plain = plain if value else plain.lstrip(_BLANKS)
        value += plain or _unescaped(quoted or escaped)
        if not plain:
            end = len(value)
        elif plain.strip(_BLANKS):
            end = len(value.rstrip(_BLANKS))
    return value[:end]


def _unescaped(text: str) -> str:
    return re.sub(r"(?s)\\(.)", lambda one: _ESCAPED.get(one[1], one[1]), text)
