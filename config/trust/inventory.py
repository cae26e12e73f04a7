"""What a folder brings that would steer MaxAgent."""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from ..security.content_digest import LARGEST, Odd, as_text, digest_of, real_path

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
    """The digests of the folder's own instruction files, as far as they are text."""
    root, found = os.path.realpath(folder), dict[str, str]()
    for path in PLACES["instructions"]:
        with suppress(Odd):  # then a question about it shows nothing that counts
            digest, content = digest_of(root, path)
            found |= {} if as_text(content) is None else {path: digest}
    return found


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
