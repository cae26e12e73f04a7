"""What a step may change that must be asked: protected names, and places outside the project."""

import os
import re
from collections.abc import Sequence
from pathlib import Path

from ..protected import protected_name
from ..workspace import Workspace
from .named import folders_of, named_by
from .step import Step
from .targets import is_temporary, place

_WRITERS = frozenset(
    "rm rmdir unlink shred truncate touch mkdir mkfifo chmod chown chgrp tee mv chattr".split()
)
_WRITES_LAST = frozenset(["cp", "ln", "install", "rsync", "scp"])
_DEVICES = re.compile(r"/dev/(null|zero|full|tty|stdin|stdout|stderr|fd/\d+)")


def protected_in(step: Step, workspace: Workspace, *, reads: bool) -> str:
    """The protected name that a step may change; empty when it names none or only reads."""
    for redirect in step.redirects:
        if redirect.writes and (found := _protected(redirect.target.text, step.folder, workspace)):
            return found
    if reads or not step.words or _only_records(step):
        return ""
    for folder in folders_of(step):
        for name in named_by(step):
            if (name.exact or name.code) and (found := _protected(name.text, folder, workspace)):
                return found
    return ""


def _only_records(step: Step) -> bool:
    """Whether git only takes files as they are into its own history."""
    words = [word.text for word in step.words[1:2]]
    return step.program == "git" and words in (["add"], ["commit"], ["stage"], ["push"])


def _protected(name: str, folder: Path | None, workspace: Workspace) -> str:
    if found := protected_name(name):
        return found
    where = place(name, folder)
    if where is None or not where.is_relative_to(workspace.root):
        return ""
    if os.path.islink(where):
        real = Path(os.path.realpath(where))
        if real.is_relative_to(workspace.root):
            where = real
    return protected_name(str(where.relative_to(workspace.root)))


def outside_in(step: Step, workspace: Workspace) -> str:
    """The place outside the project that a step surely writes to; empty when there is none."""
    names = [redirect.target.text for redirect in step.redirects if redirect.writes]
    for name in [*names, *_written(step)]:
        if _DEVICES.fullmatch(name):
            continue
        where = place(name, step.folder)
        if where is None:
            continue
        real = Path(os.path.realpath(where.parent)) / where.name
        if not real.is_relative_to(workspace.root) and not is_temporary(real):
            return name
    return ""


def _written(step: Step) -> Sequence[str]:
    words = [word.text for word in step.words[1:] if word.known and not word.text.startswith("-")]
    program = step.program
    if program in ("chmod", "chown", "chgrp", "chattr"):
        return words[1:]
    if program in _WRITERS:
        return words
    if program in _WRITES_LAST:
        return [word for word in words[-1:] if ":" not in word] if len(words) > 1 else []
    if program == "dd":
        return [word.removeprefix("of=") for word in words if word.startswith("of=")]
    if program in ("sed", "perl") and any(
        w.text.startswith(("-i", "--in-place")) for w in step.words
    ):
        return [word for word in words if word.startswith(("/", "~", ".."))]
    return []
