"""The paths that a command line names, so that what appears there while it runs is its doing."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from .parsing.command_line import Line
from .parsing.path_targets import place
from .parsing.shell_state import Scope
from .parsing.simple_command import Step
from .risks.copy_targets import PROGRAMS, landings

_OPTION = re.compile(r"-[^=/]*=")


@dataclass(frozen=True)
class NamedPaths:
    """What a line names, looked up before it runs; paths are relative to the project."""

    paths: frozenset[str] = frozenset()
    new: frozenset[str] = frozenset()
    """Of them those that were not there: what comes below one is the line's doing, too."""
    text: str = ""
    """The line itself: it may name paths inside a program's code."""
    folder: str = ""
    """Where it runs; empty or with a slash at its end."""

    def has(self, path: str) -> bool:
        """Whether the line names a path, or a folder above it that was not there before."""
        bare = path.rstrip("/")
        above = (bare[:at] for at, letter in enumerate(bare) if letter == "/")
        return (
            bare in self.paths
            or any(folder in self.new for folder in above)
            or self._stands_in_text(bare)
        )

    def _stands_in_text(self, path: str) -> bool:
        if not path.startswith(self.folder):
            return False
        name = re.escape(path.removeprefix(self.folder))
        return bool(re.search(rf"(?<![\w./-])(?:\./)?{name}(?![\w-]|[./]\w)", self.text))


def named_paths_of(command: str, cwd: str, root: Path) -> NamedPaths:
    """The paths in the project that a line names if it runs in the folder `cwd`; never raises."""
    folder = Path(os.path.normpath(root / cwd))
    inside = os.path.relpath(folder, root)
    prefix = "" if inside == "." else f"{inside}/"
    try:
        steps = Line(command, Scope(root, folder)).steps
        found = {os.path.relpath(path, root) for step in steps for path in _named_by(step)}
    except Exception:  # a line that cannot be read names what stands in it
        found = set[str]()
    paths = frozenset(path for path in found if path != "." and not path.startswith(".."))
    new = frozenset(path for path in paths if not os.path.lexists(root / path))
    return NamedPaths(paths, new, command, prefix)


def _named_by(step: Step) -> Iterator[Path]:
    names = [redirect.target.text for redirect in step.redirects if redirect.writes]
    for word in step.words[1:]:
        if word.known:
            names += [word.text, _OPTION.sub("", word.text, count=1)]
    if step.program in PROGRAMS:
        names += landings(step)
    for name in names:
        if (found := place(name, step.folder)) is not None:
            yield found
