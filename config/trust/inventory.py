"""Inventory of a folder's files that can control MaxAgent.

A new file of projects takes:

- its line in `PLACES`
- its name in `tools/protected_paths.py`, `docs/trust.md`
"""

import os
import stat
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from ..security.content_digest import (
    MAX_FILE_BYTES,
    UnreadableFileError,
    as_text,
    decode_beginning,
    read_with_digest,
    resolve_real_path,
)
from ..text import text

InventoryKind = Literal[
    "configuration", "mcp", "hooks", "agents", "commands", "skills", "instructions"
]

_AGENT_FOLDERS = (".llc", ".agents", ".claude", ".opencode")
# Files, and folders with all their content; every project file that is loaded is listed here
PLACES: Mapping[InventoryKind, tuple[str, ...]] = {
    "configuration": (".llc.yaml",),
    "mcp": (".mcp.json", "mcp.json", ".llc/mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"),
    "hooks": tuple(f"{house}/hooks" for house in _AGENT_FOLDERS),
    "agents": tuple(f"{house}/agents" for house in _AGENT_FOLDERS),
    "commands": tuple(f"{house}/commands" for house in _AGENT_FOLDERS),
    "skills": tuple(f"{house}/skills" for house in _AGENT_FOLDERS),
    "instructions": ("MAXAGENT.md", "AGENTS.md", "CLAUDE.md", "GEMINI.md", ".maxagent"),
}

# Most files and folders
MAX_ITEMS = 2_000
# Most bytes of a file's text that are kept for the next question
MAX_SHOWN = 16_000
# Most nested folders; links could nest them endlessly
MAX_DEPTH = 12
# Most bytes of all files together
MAX_TOTAL_BYTES = 50_000_000


@dataclass(frozen=True)
class InventoryItem:
    """One file of a folder."""

    kind: InventoryKind
    path: str
    """Path in the folder, not resolved."""
    digest: str
    """Digest of the file's real path and bytes; empty if it is unreadable."""
    problem: str = ""
    """Why it is unreadable; a folder with such a file is never trusted."""
    shown: str = field(default="", repr=False, compare=False)
    """The beginning of its text, to show the difference when it changes; empty for servers."""


def take_inventory(folder: Path) -> list[InventoryItem]:
    """Return the folder's files that matter, the most powerful first; reads nothing outside it.

    It never hangs and never raises: problems are recorded with the file.
    """
    root, items, left = os.path.realpath(folder), list[InventoryItem](), MAX_TOTAL_BYTES
    for count, (kind, path, is_folder) in enumerate(_walk_places(root)):
        if count == MAX_ITEMS:
            return [
                *items,
                InventoryItem(
                    kind, path, "", text("more than {limit} files and folders", limit=MAX_ITEMS)
                ),
            ]
        if is_folder:
            continue
        try:
            digest, content = read_with_digest(root, path, min(left, MAX_FILE_BYTES))
        except UnreadableFileError as odd:
            items.append(InventoryItem(kind, path, "", str(odd)))
        else:
            beginning = "" if kind == "mcp" else decode_beginning(content, MAX_SHOWN)
            items.append(InventoryItem(kind, path, digest, shown=beginning))
            left -= len(content)
    return items


def list_instructions(folder: Path) -> list[InventoryItem]:
    """Return the folder's own instruction files that are text."""
    root, items = os.path.realpath(folder), list[InventoryItem]()
    for path in PLACES["instructions"]:
        with suppress(UnreadableFileError):  # then a question about it has no valid text to show
            digest, content = read_with_digest(root, path)
            if as_text(content) is not None:
                shown = decode_beginning(content, MAX_SHOWN)
                items.append(InventoryItem("instructions", path, digest, shown=shown))
    return items


def read_instruction_digests(folder: Path) -> dict[str, str]:
    """Return the digests of the folder's own instruction files that are text."""
    return {item.path: item.digest for item in list_instructions(folder)}


def _walk_places(root: str) -> Iterator[tuple[InventoryKind, str, bool]]:
    for kind, places in PLACES.items():
        for place in places:
            if os.path.lexists(os.path.join(root, place)):
                for path, is_folder in _walk_path(root, place, MAX_DEPTH):
                    yield kind, path, is_folder


def _walk_path(root: str, path: str, deepest: int) -> Iterator[tuple[str, bool]]:
    """Yield the path and all below it, and whether each is a folder; others count as files."""
    try:
        real = resolve_real_path(root, path)
        is_folder = deepest > 0 and stat.S_ISDIR(os.lstat(real).st_mode)
        names = sorted(os.listdir(real)) if is_folder else []
    except (UnreadableFileError, OSError):
        yield path, False
        return
    yield path, is_folder
    for name in names:
        yield from _walk_path(root, f"{path}/{name}", deepest - 1)
