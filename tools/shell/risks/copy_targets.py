"""Targets of copies, moves and links."""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from ..parsing.path_targets import resolve_target
from ..parsing.simple_command import SimpleCommand

PROGRAMS = frozenset(["cp", "mv", "ln", "install", "rsync", "scp"])
_COREUTILS = frozenset(["cp", "mv", "ln", "install"])
_INTO = re.compile(r"--t[a-z-]*(?:=(.*))?|-(?:(?![mogSt])[a-zA-Z])*t(.*)", re.DOTALL)
_AS_IT_IS = re.compile(r"--no-t[a-z-]*|-[a-su-zA-Z]*T[a-zA-Z]*")
_VALUED = re.compile(r"--suffix|-[a-zA-Z]*S")
# Options whose value is a separate word
_VALUED_OF_INSTALL = re.compile(r"--(suffix|mode|owner|group)|-[a-zA-Z]*[Smog]")
_MAKES_FOLDERS = re.compile(r"--directory|-[a-zA-Z]*d[a-zA-Z]*")
_WHOLE = re.compile(r"-[a-zA-Z]*[rRa][a-zA-Z]*|--(recursive|archive)")
# Most names that are checked in a folder that is copied as a whole
_MAX_ENTRIES = 1_000
# Most targets that are reported for one step
_MAX_NAMES = 5_000


@dataclass
class CopyArguments:
    """Parsed arguments of a copying program."""

    sources: list[str] = field(default_factory=list[str])
    target: str = ""
    into: str | None = None
    """The folder into which the sources are copied; None if the target itself is created."""
    whole: bool = False
    """Whether folders are copied with their whole content."""


def find_copy_targets(step: SimpleCommand) -> Iterator[str]:
    """Yield every name that a copying step creates or overwrites, as far as it is known."""
    return islice(_iter_copy_targets(step), _MAX_NAMES)


def _iter_copy_targets(step: SimpleCommand) -> Iterator[str]:
    copied = parse_copy(step)
    if copied.target:
        yield copied.target
    if not all(word.known for word in step.words if word.text == copied.target):
        return
    if copied.into is not None:
        yield from (
            name for source in copied.sources for name in _iter_source_targets(source, copied, step)
        )
    elif copied.whole:
        yield from (
            f"{copied.target}/{name}"
            for source in copied.sources
            for name in _iter_contents(source, step)
        )


def parse_copy(step: SimpleCommand) -> CopyArguments:
    """Parse the sources and the target of a copying step."""
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
        elif match := _INTO.fullmatch(word):
            into = str(match[1] or match[2] or next(words, ""))
            options.append(word.removesuffix(into))
        else:
            options.append(word)
            if valued.fullmatch(word):
                next(words, "")
    return _build_arguments(operands, into, options, step)


def _build_arguments(
    operands: list[str], into: str | None, options: list[str], step: SimpleCommand
) -> CopyArguments:
    whole = step.program in ("mv", "rsync") or any(map(_WHOLE.fullmatch, options))
    if step.program == "install" and any(map(_MAKES_FOLDERS.fullmatch, options)):
        return CopyArguments([], operands[-1] if operands else "")
    if into is not None:
        return CopyArguments(operands, into, into, whole)
    if len(operands) < 2:
        return CopyArguments(operands, into="." if step.program == "ln" else None)
    *sources, target = operands
    as_it_is = step.program in _COREUTILS and any(map(_AS_IT_IS.fullmatch, options))
    return CopyArguments(
        sources, target, _find_target_folder(sources, target, step, as_it_is=as_it_is), whole
    )


def _find_target_folder(
    sources: list[str], target: str, step: SimpleCommand, *, as_it_is: bool
) -> str | None:
    """Return the target if it is a folder into which the sources are copied."""
    where = resolve_target(target, step.folder)
    is_folder = len(sources) > 1 or target.endswith("/") or (where is not None and where.is_dir())
    return target if is_folder and not as_it_is else None


def _iter_source_targets(source: str, copied: CopyArguments, step: SimpleCommand) -> Iterator[str]:
    """Yield the names that one source creates in a folder; for `x/.` the whole content of `x`."""
    name = os.path.basename(source if step.program == "rsync" else source.rstrip("/"))
    landed = copied.into if name in ("", ".", "..") else f"{copied.into}/{name}"
    yield f"{landed}"
    if copied.whole:
        yield from (f"{landed}/{name}" for name in _iter_contents(source, step))


def _iter_contents(source: str, step: SimpleCommand) -> Iterator[str]:
    """Yield the entries of a folder, and those of its hidden folders: `.github/workflows`."""
    where = resolve_target(source, step.folder)
    left = _MAX_ENTRIES
    for name in _list_names(where) if where else ():
        yield name
        if name.startswith(".") and where and left > 0:
            inner = _list_names(where / name)
            left -= len(inner)
            yield from (f"{name}/{inner_name}" for inner_name in inner)


def _list_names(folder: Path) -> list[str]:
    try:
        with os.scandir(folder) as entries:
            return [entry.name for entry, _ in zip(entries, range(_MAX_ENTRIES), strict=False)]
    except OSError:  # a file, missing, or not readable
        return []
