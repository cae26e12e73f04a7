"""Further instruction files: imported ones, and those of subfolders.

They only inform the model, and a large tree may have many. So they are searched for when trust is
asked, and later compared with that result; a changed one is left out, and the folder stays trusted.
"""

import os
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from ..security.content_digest import (
    UnreadableFileError,
    as_text,
    read_content,
    read_with_digest,
    resolve_real_path,
)
from .inventory import PLACES
from .resolved_imports import MAX_IMPORT_BYTES, find_first_nonempty, find_imports, follow_imports

NAMES = PLACES["instructions"]
MAX_FILES = 500
# Most files and folders searched; files beyond them are not found, and so not used
MAX_ENTRIES_SEARCHED = 20_000
# Most nested folders
MAX_DEPTH = 12
# Third-party packages: their instructions are for their own developers
OF_OTHERS = frozenset(["node_modules", "site-packages", "dist-packages", "vendor"])


def find_further_instructions(folder: Path, inventory_paths: Collection[str]) -> dict[str, str]:
    """Return their digests by path; skip special files, secrets, and files in `brought`.

    Repositories inside the folder have their own trust, and hidden folders are skipped.
    """
    listing = _InstructionListing(os.path.realpath(folder))
    for start in (find_project_start(folder, inventory_paths), *_iter_nested_starts(listing.root)):
        follow_imports(start, partial(listing.list_names, start=start))
        if len(listing.digests) >= MAX_FILES:
            break
    return {path: digest for path, digest in listing.digests.items() if path not in inventory_paths}


def find_project_start(folder: Path, inventory_paths: Collection[str]) -> str:
    """Return the folder's own instruction file in use; else an empty string."""
    return find_first_nonempty(
        filter(inventory_paths.__contains__, NAMES), partial(read_content, folder)
    )


def find_nested_start(folder: Path, place: str, names: Collection[str] = NAMES) -> str:
    """Return the instruction file of a subfolder that contains these names."""
    paths = [f"{place}/{name}" for name in NAMES if name in names]
    return find_first_nonempty(paths, partial(read_content, folder))


def is_third_party(name: str) -> bool:
    """Return whether a folder of this name has no instructions for this project."""
    return name.startswith(".") or name in OF_OTHERS


@dataclass
class _InstructionListing:
    root: str
    digests: dict[str, str] = field(default_factory=dict[str, str])
    """The digests, by path."""
    imported: dict[str, Sequence[str] | None] = field(
        default_factory=dict[str, "Sequence[str] | None"]
    )
    """The imports of each imported file; None for a name that is no file."""

    def list_names(self, path: str, start: str) -> Sequence[str] | None:
        """Return the names in a file, and record its digest."""
        if path == start:
            return self._add_file(path, read_with_digest)
        if path not in self.imported and len(self.digests) < MAX_FILES:
            self.imported[path] = self._add_file(path, _read_import)
        return self.imported.get(path)

    def _add_file(
        self, path: str, read: Callable[[str, str], tuple[str, bytes]]
    ) -> list[str] | None:
        try:
            digest, content = read(self.root, path)
        except UnreadableFileError:
            return None
        if (text := as_text(content)) is None:
            return None
        self.digests[path] = digest
        return find_imports(text, path)


def _read_import(root: str, path: str) -> tuple[str, bytes]:
    # loaded late: it is slow, and few projects import files
    from ..security.gitignore_match import matches_any
    from ..security.ignore_patterns import IGNORE_PATTERNS

    real = os.path.relpath(resolve_real_path(root, path), root)
    if any(matches_any((*IGNORE_PATTERNS, ".git"), name) for name in (path, real)):
        raise UnreadableFileError("a secret")
    return read_with_digest(root, path, MAX_IMPORT_BYTES)


def _iter_nested_starts(root: str) -> Iterator[str]:
    """Yield the first instruction file of each subfolder."""
    waiting, looked_at = [("", 0)], 0
    for path, depth in waiting:  # it grows during the loop
        entries = _list_entries(os.path.join(root, path))
        looked_at += len(entries)
        if looked_at > MAX_ENTRIES_SEARCHED:
            return
        names = {entry.name for entry in entries}
        if depth and ".git" in names:
            continue
        if depth and (start := find_nested_start(Path(root), path, names)):
            yield start
        waiting += [
            (f"{path}/{entry.name}".lstrip("/"), depth + 1)
            for entry in entries
            if depth < MAX_DEPTH and _may_hold_any(entry)
        ]


def _may_hold_any(entry: os.DirEntry[str]) -> bool:
    return not is_third_party(entry.name) and entry.is_dir(follow_symlinks=False)


def _list_entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
