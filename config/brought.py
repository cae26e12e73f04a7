"""What a folder brings that would steer MaxAgent, and the content by which it is known again."""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

Kind = Literal["configuration", "mcp", "hooks", "agents", "commands", "skills", "instructions"]

_HOUSES = (".llc", ".agents", ".claude", ".opencode")
PLACES: Mapping[Kind, tuple[str, ...]] = {
    "configuration": (".llc.yaml",),
    "mcp": (".mcp.json", "mcp.json", ".llc/mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"),
    "hooks": tuple(f"{house}/hooks" for house in _HOUSES),
    "agents": tuple(f"{house}/agents" for house in _HOUSES),
    "commands": tuple(f"{house}/commands" for house in _HOUSES),
    "skills": tuple(f"{house}/skills" for house in _HOUSES),
    "instructions": ("MAXAGENT.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md", ".maxagent"),
}
"""Files, and folders with all they hold; whatever is loaded from a project stands here."""

MOST = 2_000
"""Files and folders."""
DEEPEST = 12
"""Folders within each other; links could nest them endlessly."""
LARGEST = 5_000_000
"""Bytes of one file."""
MOST_BYTES = 50_000_000
"""Bytes of all together."""


@dataclass(frozen=True)
class Brought:
    """One file that a folder brings."""

    kind: Kind
    path: str
    """Relative to the folder, as it is named there."""
    digest: str
    """Of where the file really is and of its bytes; empty when they cannot be known."""
    odd: str = ""
    """Why they cannot; a folder that brings such a thing is never trusted."""


class _Odd(Exception):
    """What is there is no file or folder of the project."""


def brought(folder: Path) -> list[Brought]:
    """Everything the folder brings, what reaches furthest first; reads nothing outside of it.

    Never hangs and never raises: what is odd is said of the file.
    """
    root, found, left = os.path.realpath(folder), list[Brought](), MOST_BYTES
    for count, (kind, path, is_folder) in enumerate(_everything(root)):
        if count == MOST:
            return [*found, Brought(kind, path, "", f"more than {MOST} files and folders")]
        if is_folder:
            continue
        try:
            digest, size = _digest(root, path, min(left, LARGEST))
        except _Odd as odd:
            found.append(Brought(kind, path, "", str(odd)))
        else:
            found.append(Brought(kind, path, digest))
            left -= size
    return found


def known_by(folder: Path, path: str, content: bytes) -> str:
    """The digest of a file of the folder that holds these bytes; empty for what is odd."""
    root = os.path.realpath(folder)
    try:
        return _digest_of(root, _real(root, path), content)
    except _Odd:
        return ""


def _everything(root: str) -> Iterator[tuple[Kind, str, bool]]:
    for kind, places in PLACES.items():
        for place in places:
            if os.path.lexists(os.path.join(root, place)):
                for path, is_folder in _below(root, place, DEEPEST):
                    yield kind, path, is_folder


def _below(root: str, path: str, deepest: int) -> Iterator[tuple[str, bool]]:
    """The path and all below it, and whether each is a folder; what is odd counts as a file."""
    try:
        real = _real(root, path)
        is_folder = deepest > 0 and stat.S_ISDIR(os.lstat(real).st_mode)
        names = sorted(os.listdir(real)) if is_folder else []
    except (_Odd, OSError):
        yield path, False
        return
    yield path, is_folder
    for name in names:
        yield from _below(root, f"{path}/{name}", deepest - 1)


def _digest(root: str, path: str, largest: int) -> tuple[str, int]:
    """What the file is known by, and its size; a link is known by where it leads, too."""
    real = _real(root, path)
    try:
        if not stat.S_ISREG(os.lstat(real).st_mode):
            raise _Odd("neither a file nor a folder that can be read")
        handle = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as file:
            content = file.read(largest + 1)
    except OSError as error:
        raise _Odd(f"cannot be read: {error.strerror}") from error
    if len(content) > largest:
        raise _Odd("too large")
    return _digest_of(root, real, content), len(content)


def _digest_of(root: str, real: str, content: bytes) -> str:
    name = os.fsencode(os.path.relpath(real, root))
    return hashlib.sha256(name + b"\0" + content).hexdigest()


def _real(root: str, path: str) -> str:
    """Where the path really is; raises _Odd when that is nowhere, or outside of the folder."""
    try:
        real = os.path.realpath(os.path.join(root, path), strict=True)
    except (OSError, ValueError) as error:
        raise _Odd("a link that leads nowhere") from error
    if os.path.commonpath([root, real]) != root:
        raise _Odd("a link that leads out of the folder")
    return real
