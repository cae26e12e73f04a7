"""Paths that a command line names, to attribute files that appear while it runs."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .parsing.command_line import CommandLine
from .parsing.path_targets import resolve_target
from .parsing.shell_state import ShellState
from .parsing.simple_command import SimpleCommand
from .risks.copy_targets import PROGRAMS, find_copy_targets

_OPTION = re.compile(r"-[^=/]*=")


@dataclass(frozen=True)
class NamedPaths:
    """The paths that a line names, looked up before it runs; relative to the project."""

    paths: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()
    """The paths that did not exist before: what appears below them comes from the line, too."""
    text: str = ""
    """The line itself: code in it may name paths."""
    folder: str = ""
    """The folder where it runs; empty or with a trailing slash."""

    def has_path(self, path: str) -> bool:
        """Return whether the line names a path, or a folder above it that did not exist before."""
        bare = path.rstrip("/")
        above = (bare[:at] for at, letter in enumerate(bare) if letter == "/")
        return (
            bare in self.paths
            or any(folder in self.new for folder in above)
            or self._is_in_text(bare)
        )

    def _is_in_text(self, path: str) -> bool:
        if not path.startswith(self.folder):
            return False
        name = re.escape(path.removeprefix(self.folder))
        return bool(re.search(rf"(?<![\w./-])(?:\./)?{name}(?![\w-]|[./]\w)", self.text))


def find_named_paths(command: str, cwd: str, root: Path) -> NamedPaths:
    """Find the project's paths that a line names if it runs in the folder `cwd`; never raises."""
    folder = Path(os.path.normpath(root / cwd))
    inside = os.path.relpath(folder, root)
    prefix = "" if inside == "." else f"{inside}/"
    try:
        steps = CommandLine(command, ShellState(root, folder)).steps
        names = {os.path.relpath(path, root) for step in steps for path in _iter_named_paths(step)}
    except Exception:  # if the line cannot be parsed, its words count as names
        names = set[str]()
    paths = frozenset(path for path in names if path != "." and not path.startswith(".."))
    new = frozenset(path for path in paths if not os.path.lexists(root / path))
    return NamedPaths(paths, new, command, prefix)


def _iter_named_paths(step: SimpleCommand) -> Iterator[Path]:
    names = [redirect.target.text for redirect in step.redirects if redirect.writes]
    for word in step.words[1:]:
        if word.known:
            names += [word.text, _OPTION.sub("", word.text, count=1)]
    if step.program in PROGRAMS:
        names += find_copy_targets(step)
    for name in names:
        if (path := resolve_target(name, step.folder)) is not None:
            yield path
