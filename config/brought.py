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


class Odd(Exception):
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
            digest, content = digest_of(root, path, min(left, LARGEST))
        except Odd as odd:
            found.append(Brought(kind, path, "", str(odd)))
        else:
            found.append(Brought(kind, path, digest))
            left -= len(content)
    return found


def own_instructions(folder: Path) -> dict[str, str]:
    """The digests of the folder's own instruction files."""
    return {one.path: one.digest for one in brought(folder) if one.path in PLACES["instructions"]}


def read_listed_as(folder: Path, path: str, digest: str) -> bytes | None:
    """The bytes of a file of the folder; None where they are not those of this digest by now."""
    try:
        found, content = digest_of(os.path.realpath(folder), path)
    except Odd:
        return None
    return content if found == digest else None


def known_by(folder: Path, path: str, content: bytes) -> str:
    """The digest of a file of the folder that holds these bytes; empty for what is odd."""
    root = os.path.realpath(folder)
    try:
        return _digest_of(root, real_path(root, path), content)
    except Odd:
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
        real = real_path(root, path)
        is_folder = deepest > 0 and stat.S_ISDIR(os.lstat(real).st_mode)
        names = sorted(os.listdir(real)) if is_folder else []
    except (Odd, OSError):
        yield path, False
        return
    yield path, is_folder
    for name in names:
        yield from _below(root, f"{path}/{name}", deepest - 1)


def as_text(content: bytes) -> str:
    """What an instruction file says; bytes that are not UTF-8 are shown as such."""
    return content.decode("utf-8-sig", errors="replace")


def digest_of(root: str, path: str, largest: int = LARGEST) -> tuple[str, bytes]:
    """What the file is known by, and its bytes; a link is known by where it leads, too.

    Raises Odd.
    """
    real = real_path(root, path)
    content = regular_bytes(real, largest + 1)
    if len(content) > largest:
        raise Odd("too large")
    return _digest_of(root, real, content), content


def regular_bytes(real: str, most: int) -> bytes:
    """So many bytes of a file at most, without ever waiting for them; raises Odd."""
    try:
        if not stat.S_ISREG(os.lstat(real).st_mode):
            raise Odd("neither a file nor a folder that can be read")
        handle = os.open(real, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        with open(handle, "rb") as file:
            return file.read(most)
    except OSError as error:
        raise Odd(f"cannot be read: {error.strerror}") from error


def _digest_of(root: str, real: str, content: bytes) -> str:
    name = os.fsencode(os.path.relpath(real, root))
    return hashlib.sha256(name + b"\0" + content).hexdigest()


def real_path(root: str, path: str) -> str:
    """Where the path really is; raises Odd when that is nowhere, or outside of the folder."""
    try:
        real = os.path.realpath(os.path.join(root, path), strict=True)
    except (OSError, ValueError) as error:
        raise Odd("a link that leads nowhere") from error
    if os.path.commonpath([root, real]) != root:
        raise Odd("a link that leads out of the folder")
    return real
