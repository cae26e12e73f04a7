"""Paths in a project that git's configuration names: hook folders and included files."""

import os
import re
from codecs import BOM_UTF8
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...config.security.content_digest import UnreadableFileError, read_regular_file
from .git_paths import resolve_gitfile

# Most bytes that are read of all configurations together
MAX_BYTES = 1_000_000
# Most levels of included files, as git follows them; most files and hook folders in all
MAX_DEPTH, MAX_FILES = 10, 100

# A line continues after a backslash at its end, unless that is escaped or in a comment
_LINE = re.compile(r"(?:\"(?:[^\"\\\n]|\\.)*\"?|\\.|[^\"\\#;\n]+)*(?:[#;][^\n]*)?", re.DOTALL)
_HEADER = re.compile(r"\s*\[\s*([\w.-]+)(?:\s*(\"(?:[^\"\\]|\\.)*\"))?\s*\]", re.ASCII)
_SETTING = re.compile(r"\s*([\w-]+)\s*=\s*(.*)", re.ASCII | re.DOTALL)
_VALUE_PART = re.compile(r"\"((?:[^\"\\]|\\.)*)\"?|(\\.)|([#;].*)|([^\"\\#;]+)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "b": "\b", "\n": ""}
_BLANKS = " \t\r"


@dataclass
class GitConfigRisks:
    """Real paths in a project that make git start programs; they need not exist."""

    hooks: list[Path] = field(default_factory=list[Path])
    """Hook folders: the one in effect, and those in effect under a condition."""
    included: list[Path] = field(default_factory=list[Path])
    """Files that a configuration includes: they may name hooks and programs."""
    unknown: bool = False
    """Whether something was not checked, or a value cannot be a path: any file may affect git."""


def find_config_risks(root: Path) -> GitConfigRisks:
    """Find the paths below `root` that affect the git of the checkout that contains `root`."""
    top = next(
        (folder for folder in (root, *root.parents) if os.path.lexists(folder / ".git")), None
    )
    if top is None:
        return GitConfigRisks()
    folders = resolve_gitfile(top) if (top / ".git").is_file() else [top / ".git"]
    configs = [*_list_user_configs(), *(folder / "config" for folder in reversed(folders))]
    configs += [folder / "config.worktree" for folder in folders]
    look = _ConfigReader()
    for config in configs:
        look.read_config(config)
    hooks = [top / os.path.expanduser(place) for place in look.hooks]
    return GitConfigRisks(
        _filter_below(root, hooks), _filter_below(root, look.included), look.unknown
    )


def can_steer_git(root: Path, path: str) -> bool:
    """Return whether a path, relative to the root, is or may be one of these, or lies below one."""
    risks, place = find_config_risks(root), Path(os.path.normpath(root / path))
    return risks.unknown or any(map(place.is_relative_to, (*risks.hooks, *risks.included)))


def _filter_below(root: Path, places: Iterable[Path]) -> list[Path]:
    real = dict.fromkeys(Path(os.path.realpath(place)) for place in places)
    return [place for place in real if place.is_relative_to(root) and place != root]


class _ConfigReader:
    """Reads configurations in git's order."""

    def __init__(self) -> None:
        self.hooks = list[str]()
        self.included = list[Path]()
        self.unknown = False
        self._left = MAX_BYTES

    def read_config(self, config: Path, depth: int = 0, *, sure: bool = True) -> None:
        """Read the paths that a file names; `sure` if no condition applies to the file."""
        for section, key, value in _parse_settings(self._read_text(config)):
            hooks = section == "core" and key == "hookspath"
            if not hooks and not (section in ("include", "includeif ") and key == "path"):
                continue
            if "\0" in value or len(self.hooks) + len(self.included) >= MAX_FILES:
                self.unknown = True
                return
            if hooks:
                self.hooks = [value] if sure else [*self.hooks, value]  # the last value counts
                continue
            file = config.parent / os.path.expanduser(value)
            self.included.append(file)
            if depth < MAX_DEPTH:
                self.read_config(file, depth + 1, sure=sure and section == "include")

    def _read_text(self, config: Path) -> str:
        try:
            data = read_regular_file(os.path.realpath(config), self._left + 1)
        except UnreadableFileError:  # missing, or unreadable for git too
            return ""
        self.unknown |= len(data) > self._left
        self._left = max(0, self._left - len(data))
        return os.fsdecode(data.removeprefix(BOM_UTF8)).replace("\r\n", "\n")


def _list_user_configs() -> list[Path]:
    """Return the user's own configurations, whose hooks may lie in any repository."""
    home = Path(os.path.expanduser("~"))
    above = Path(os.environ.get("XDG_CONFIG_HOME") or home / ".config")
    return [above / "git/config", home / ".gitconfig"]


def _parse_settings(text: str) -> Iterator[tuple[str, str, str]]:
    """Yield section, key and value of all settings, in order.

    A section with a quoted subsection ends with a blank.
    """
    section = ""
    for line in _LINE.findall(f"{text}\n"):
        at = 0
        while header := _HEADER.match(line, at):  # a setting may follow it
            section, at = header[1].lower() + (" " if header[2] else ""), header.end()
        if setting := _SETTING.match(line, at):
            yield section, setting[1].lower(), _parse_value(setting[2])


def _parse_value(written: str) -> str:
    """Parse a value as git does: without quotes, comment and trailing blanks."""
    value, end = "", 0
    for quoted, escaped, comment, plain in _VALUE_PART.findall(written):
        if comment:
            break
        plain = plain if value else plain.lstrip(_BLANKS)
        value += plain or _unescape(quoted or escaped)
        if not plain:
            end = len(value)
        elif plain.strip(_BLANKS):
            end = len(value) - len(plain) + len(plain.rstrip(_BLANKS))
    return value[:end]


def _unescape(text: str) -> str:
    return re.sub(r"(?s)\\(.)", lambda match: _ESCAPED.get(match[1], match[1]), text)
