"""Where copies, moves and links end up: a name of their own, or one in a folder."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from ..parsing.path_targets import place
from ..parsing.simple_command import Step

PROGRAMS = frozenset(["cp", "mv", "ln", "install", "rsync", "scp"])
_COREUTILS = frozenset(["cp", "mv", "ln", "install"])
_INTO = re.compile(r"--t[a-z-]*(?:=(.*))?|-(?:(?![mogSt])[a-zA-Z])*t(.*)", re.DOTALL)
_AS_IT_IS = re.compile(r"--no-t[a-z-]*|-[a-su-zA-Z]*T[a-zA-Z]*")
_VALUED = re.compile(r"--suffix|-[a-zA-Z]*S")
_VALUED_OF_INSTALL = re.compile(r"--(suffix|mode|owner|group)|-[a-zA-Z]*[Smog]")
"""Options whose value stands apart."""
_MAKES_FOLDERS = re.compile(r"--directory|-[a-zA-Z]*d[a-zA-Z]*")
_WHOLE = re.compile(r"-[a-zA-Z]*[rRa][a-zA-Z]*|--(recursive|archive)")
_MOST_ENTRIES = 1_000
"""Names that are looked at in a folder that is copied as a whole."""
_MOST_NAMES = 5_000
"""Names that one step is said to make."""


@dataclass
class Copied:
    """The words of a copying program, told apart."""

    sources: list[str] = field(default_factory=list[str])
    target: str = ""
    into: str | None = None
    """The folder in which the sources are put; None where the target is what is made."""
    whole: bool = False
    """Whether folders go with all they hold."""


def landings(step: Step) -> Iterator[str]:
    """Every name that a copying step makes or writes over, as far as words and folders tell."""
    return islice(_landings(step), _MOST_NAMES)


def _landings(step: Step) -> Iterator[str]:
    copied = copied_by(step)
    if copied.target:
        yield copied.target
    if not all(word.known for word in step.words if word.text == copied.target):
        return
    if copied.into is not None:
        yield from (name for one in copied.sources for name in _landed(one, copied, step))
    elif copied.whole:
        yield from (
            f"{copied.target}/{name}" for one in copied.sources for name in _held(one, step)
        )


def copied_by(step: Step) -> Copied:
    """What a copying step copies, and where to."""
    words, operands, options = (
        iter([word.text for word in step.words[1:]]),
        list[str](),
        list[str](),
    )
    into: str | None = None
    valued = _VALUED_OF_INSTALL if step.program == "install" else _VALUED
    for word in words:
        if word == "--":
            operands.extend(words)
        elif not word.startswith("-") or word == "-":
            operands.append(word)
        elif step.program not in _COREUTILS:
            options.append(word)
        elif found := _INTO.fullmatch(word):
            into = str(found[1] or found[2] or next(words, ""))
            options.append(word.removesuffix(into))
        else:
            options.append(word)
            if valued.fullmatch(word):
                next(words, "")
    return _copied(operands, into, options, step)


def _copied(operands: list[str], into: str | None, options: list[str], step: Step) -> Copied:
    whole = step.program in ("mv", "rsync") or any(map(_WHOLE.fullmatch, options))
    if step.program == "install" and any(map(_MAKES_FOLDERS.fullmatch, options)):
        return Copied([], operands[-1] if operands else "")
    if into is not None:
        return Copied(operands, into, into, whole)
    if len(operands) < 2:
        return Copied(operands, into="." if step.program == "ln" else None)
    *sources, target = operands
    as_it_is = step.program in _COREUTILS and any(map(_AS_IT_IS.fullmatch, options))
    return Copied(sources, target, _folder(sources, target, step, as_it_is=as_it_is), whole)


def _folder(sources: list[str], target: str, step: Step, *, as_it_is: bool) -> str | None:
    """The target, when it is a folder to put the sources in."""
    where = place(target, step.folder)
    is_folder = len(sources) > 1 or target.endswith("/") or (where is not None and where.is_dir())
    return target if is_folder and not as_it_is else None


def _landed(source: str, copied: Copied, step: Step) -> Iterator[str]:
    """What comes of one source in a folder; of `x/.` all that is in it."""
    name = os.path.basename(source if step.program == "rsync" else source.rstrip("/"))
    landed = copied.into if name in ("", ".", "..") else f"{copied.into}/{name}"
    yield f"{landed}"
    if copied.whole:
        yield from (f"{landed}/{name}" for name in _held(source, step))


def _held(source: str, step: Step) -> Iterator[str]:
    """What stands at the top of a folder, and in its hidden folders: `.github/workflows`."""
    where = place(source, step.folder)
    left = _MOST_ENTRIES
    for name in _names(where) if where else ():
        yield name
        if name.startswith(".") and where and left > 0:
            inner = _names(where / name)
            left -= len(inner)
            yield from (f"{name}/{one}" for one in inner)


def _names(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry, _ in zip(entries, range(_MOST_ENTRIES), strict=False)]
    except OSError:  # a file, or nothing, or not ours to read
        return []
