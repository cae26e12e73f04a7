"""Instruction files besides a folder's own: those that they bring in, and those of folders below.

They only tell something, and there may be many in a large tree. So they are looked for when trust
is asked, and later known by what they were then; one that has changed is not told, and takes no
trust away from the folder.
"""

import os
from collections.abc import Collection, Iterator
from contextlib import suppress
from pathlib import Path

from .brought import PLACES
from .imports import imports_in
from .known_content import Odd, as_text, digest_of, real_path

NAMES = PLACES["instructions"]
MOST_FOUND = 500
MOST_LOOKED_AT = 20_000
"""Files and folders; what is beyond them is not found, and so not told."""
DEEPEST = 12
"""Folders within each other."""
DEEPEST_IMPORT = 5
"""Files that bring each other in."""
LARGEST_IMPORT = 100_000
"""Bytes."""
OF_OTHERS = frozenset(["node_modules", "site-packages", "dist-packages", "vendor"])
"""Packages of others: what is written in them is for whoever works on them."""


def further_instructions(folder: Path, brought: Collection[str]) -> dict[str, str]:
    """Their digests by path; nothing odd, no secret, and nothing that is `brought` anyway.

    Repositories in the folder are asked about for themselves, and hidden folders hold none.
    """
    root, found = os.path.realpath(folder), dict[str, str]()
    for path in (*filter(brought.__contains__, NAMES), *_below(root)):
        with suppress(Odd):
            digest, content = digest_of(root, path)
            found |= {} if path in brought else {path: digest}
            for name, its in _imported(root, path, content, known={*brought, *found}):
                found[name] = its
        if len(found) > MOST_FOUND:
            break
    return found


def _imported(root: str, path: str, content: bytes, known: set[str]) -> Iterator[tuple[str, str]]:
    """What a file brings in that is not known yet, with its digest, those named first first."""
    waiting = [(path, content, 1)]
    for path, content, depth in waiting:  # which grows meanwhile
        for name in imports_in(as_text(content), path) if depth <= DEEPEST_IMPORT else ():
            if name in known or len(known) > MOST_FOUND:
                continue
            known.add(name)
            with suppress(Odd):  # then it is no more than a word
                digest, text = _read_import(root, name)
                yield name, digest
                waiting.append((name, text, depth + 1))


def _read_import(root: str, path: str) -> tuple[str, bytes]:
    from .name_patterns import any_matches  # which takes its time, and few files need it
    from .settings import IGNORE_PATTERNS  # the usual ones: a project's may not be read yet

    real = os.path.relpath(real_path(root, path), root)
    if any(any_matches((*IGNORE_PATTERNS, ".git"), name) for name in (path, real)):
        raise Odd("a secret")
    return digest_of(root, path, LARGEST_IMPORT)


def _below(root: str) -> Iterator[str]:
    """Of each folder below the first of the names that is there."""
    waiting, looked_at = [("", 0)], 0
    for path, depth in waiting:  # which grows meanwhile
        entries = _entries(os.path.join(root, path))
        looked_at += len(entries)
        if looked_at > MOST_LOOKED_AT:
            return
        names = {entry.name for entry in entries}
        if depth and ".git" in names:
            continue
        if depth and (mine := next((name for name in NAMES if name in names), "")):
            yield f"{path}/{mine}"
        waiting += [
            (f"{path}/{entry.name}".lstrip("/"), depth + 1)
            for entry in entries
            if depth < DEEPEST and _may_hold_any(entry)
        ]


def _may_hold_any(entry: os.DirEntry[str]) -> bool:
    ours = not entry.name.startswith(".") and entry.name not in OF_OTHERS
    return ours and entry.is_dir(follow_symlinks=False)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except OSError:
        return []
