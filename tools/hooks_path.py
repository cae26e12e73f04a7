"""The folder that git's configuration names for hooks, instead of `.git/hooks`."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from .sandbox.git_folders import led_to

LARGEST = 1_000_000
"""Bytes of a configuration that are looked at."""

_HEADER = re.compile(r"\s*\[\s*([\w.-]+)\s*(\"(?:[^\"\\]|\\.)*\")?\s*\]", re.ASCII)
_SETTING = re.compile(r"\s*hookspath\s*=\s*(.*)", re.IGNORECASE | re.ASCII)
_PIECE = re.compile(r"\"((?:[^\"\\]|\\.)*)\"?|(\\.)|([#;].*)|([^\"\\#;]+)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b"}


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
        text = os.fsdecode(file.read(LARGEST)).replace("\r\n", "\n")
    section = ""
    for line in re.split(r"(?<!\\)\n", text):
        while header := _HEADER.match(line):  # a setting may stand behind it
            section = "" if header[2] else header[1].lower()
            line = line[header.end() :]
        if section == "core" and (setting := _SETTING.match(line.replace("\\\n", ""))):
            yield _value(setting[1])


def _value(written: str) -> str:
    """A value as git reads it: without quotes, comment and blanks at its end."""
    value = ""
    for quoted, escaped, comment, plain in _PIECE.findall(written):
        if comment:
            break
        value = value + plain if plain else value + _unescaped(quoted or escaped)
    return value.rstrip() if not written.rstrip().endswith('"') else value


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", lambda one: _ESCAPED.get(one[1], one[1]), text)
