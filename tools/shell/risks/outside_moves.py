"""Moves that take files of the project away: to a folder for temporary files, too."""

import os
import re
from pathlib import Path

from ...workspace import Workspace
from ..parsing.path_targets import resolve_target
from ..parsing.shell_state import Word
from ..parsing.simple_command import SimpleCommand
from .copy_targets import parse_copy

# Options with which a program that copies removes what it has copied
_REMOVING = {
    "rsync": re.compile(r"--remove-s(ource|ent)-files"),
    "tar": re.compile(r"--remove-files"),
    "zip": re.compile(r"--move|-[a-zA-Z]*m[a-zA-Z]*"),
}
# A target that is known only at run time, and yet is certainly elsewhere
_ELSEWHERE = re.compile(r"TE?MP|HOME|mktemp")


def find_outside_move(step: SimpleCommand, workspace: Workspace) -> str:
    """Return the source that a step may move out of the project; empty if it moves none.

    A name that is known only at run time may be in the project.
    """
    sources, target = _parse_move(step)
    if not sources or not _is_outside(_find_word(target, step), step, workspace):
        return ""
    return next((name for name in sources if _is_inside(name, step, workspace)), "")


def _parse_move(step: SimpleCommand) -> tuple[list[str], str]:
    """Return what a step moves, and where to; no source if it removes none."""
    if step.program == "mv":
        moved = parse_copy(step)
        return moved.sources, moved.target
    texts = [word.text for word in step.words[1:]]
    removing = _REMOVING.get(step.program)
    names = [text for text in texts if not text.startswith("-")]
    if removing is None or not any(map(removing.fullmatch, texts)) or len(names) < 2:
        return [], ""
    if step.program == "rsync":
        return names[:-1], names[-1]
    archive, *sources = names
    return sources, archive


def _is_outside(target: Word, step: SimpleCommand, workspace: Workspace) -> bool:
    if not target.known:
        return bool(_ELSEWHERE.search(target.text))
    place = resolve_target(os.path.expanduser(target.text), step.folder)
    if place is None or str(place) == os.devnull:
        return False
    return not _resolve_name(place).is_relative_to(workspace.root)


def _is_inside(source: str, step: SimpleCommand, workspace: Workspace) -> bool:
    place = resolve_target(source, step.folder) if _find_word(source, step).known else None
    return place is None or _resolve_name(place).is_relative_to(workspace.root)


def _resolve_name(place: Path) -> Path:
    return Path(os.path.realpath(place.parent)) / place.name


def _find_word(name: str, step: SimpleCommand) -> Word:
    return next((word for word in step.words if word.text == name), Word(name))
