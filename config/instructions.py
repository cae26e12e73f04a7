"""Instruction files, `AGENTS.md` and its like: what is told to every agent that works in a folder.

Of a project only the very bytes count that the user has said yes to. What counts most comes last:
the user's own, those of the folders around the project up to its repository's root, the project's.
"""

import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path, PurePath

from .brought import PLACES
from .imports import imports_in
from .known_content import LARGEST, Odd, as_text, read_listed_as, regular_bytes
from .name_patterns import any_matches
from .paths import user_notes
from .redaction import redacted
from .trust import Trust, trust_of

NAMES = PLACES["instructions"]
"""Of those in one folder the first that is there is read: others often repeat or name it."""
MOST_BYTES = 32_000
"""Of all together; what counts most is kept."""
DEEPEST = 5
"""Files that bring each other in."""
Read = Callable[[str], bytes | None]
"""Reads a file by its path from a root; None for what may not be read, or is not there."""


@dataclass(frozen=True)
class Instruction:
    """One file."""

    name: str
    """As people and the model read it: relative to the project, or its whole path."""
    text: str
    cut: int = 0
    """Bytes at its end that are left out, since all together are too much."""


def instructions(
    folder: Path, home: Path, trust: Trust, ignored: Sequence[str]
) -> tuple[Instruction, ...]:
    """All that are told, what counts most last.

    `trust`: how the folder stands; `ignored`: patterns of the files that nobody may read.
    """
    patterns = (*ignored, ".git")
    found = dict[str, Instruction]()
    for root, path, name, content in _files(folder, home, trust, patterns):
        real = os.path.realpath(root / path)  # the project may be the user's own folder
        found.setdefault(real, Instruction(name, redacted(as_text(content)).strip()))
    return _fitted([one for one in found.values() if one.text])


def instructions_below(
    folder: Path,
    trust: Trust,
    ignored: Sequence[str],
    *,
    shown: Collection[str],
    known: Collection[str],
) -> tuple[Instruction, ...]:
    """Those of the folders below in or under which the shown files are; the nearest last.

    `known` are names of files that were told before.
    """
    if not trust.trusted:
        return ()
    listed, found = trust.further, dict[str, Instruction]()
    read = _listed(folder, listed, (*ignored, ".git"))
    above = {str(place) for path in shown for place in PurePath(path).parents} - {"."}
    for place in sorted(above, key=lambda place: (place.count("/"), place)):
        start = _first([one for name in NAMES if (one := f"{place}/{name}") in listed])
        for path, content in _with_imports(start, read) if start not in known else ():
            found.setdefault(path, Instruction(path, redacted(as_text(content)).strip()))
    return _fitted([one for one in found.values() if one.text and one.name not in known])


def _files(
    folder: Path, home: Path, trust: Trust, patterns: tuple[str, ...]
) -> Iterator[tuple[Path, str, str, bytes]]:
    """Root, path from it, name and content of each."""
    read = _users(home, patterns)
    notes = user_notes(home).name
    for start in (_first([name for name in NAMES if (home / name).is_file()]), notes):
        for path, content in _with_imports(start, read):
            yield home, path, str(home / path), content
    for above in (place for place in _enclosing(folder) if _brings_any(place)):
        for path, content in _of_project(above, trust_of(above, home), patterns):
            yield above, path, str(above / path), content
    for path, content in _of_project(folder, trust, patterns):
        yield folder, path, path, content


def _of_project(
    folder: Path, trust: Trust, patterns: tuple[str, ...]
) -> Iterator[tuple[str, bytes]]:
    if trust.trusted:
        own = {one.path: one.digest for one in trust.brought if one.kind == "instructions"}
        start = _first([name for name in NAMES if name in own])
        yield from _with_imports(start, _listed(folder, {**trust.further, **own}, patterns))


def _listed(folder: Path, listed: Mapping[str, str], patterns: tuple[str, ...]) -> Read:
    """Reads what was listed with just these digests."""

    def read(path: str) -> bytes | None:
        if path not in listed or _is_ignored(patterns, folder, path):
            return None
        return read_listed_as(folder, path, listed[path])

    return read


def _users(home: Path, patterns: tuple[str, ...]) -> Read:
    """The user's own file may be a link to anywhere; what it brings in stays beside it."""

    def read(path: str) -> bytes | None:
        if path not in (*NAMES, user_notes(home).name) and _is_ignored(patterns, home, path):
            return None
        try:
            return regular_bytes(os.path.realpath(home / path), LARGEST)
        except Odd:
            return None

    return read


def _is_ignored(patterns: tuple[str, ...], root: Path, path: str) -> bool:
    """Whether nobody may read it, under its own name or where it really is."""
    real = os.path.relpath(os.path.realpath(root / path), os.path.realpath(root))
    outside = real.split("/", 1)[0] == ".."
    return outside or any(any_matches(patterns, name) for name in (path, real))


def _with_imports(start: str, read: Read) -> Iterator[tuple[str, bytes]]:
    """The file behind those that it brings in, so that it counts more; each once."""
    known = set[str]()

    def told(path: str, depth: int) -> Iterator[tuple[str, bytes]]:
        known.add(path)
        content = read(path)
        if content is None:
            return
        for name in imports_in(as_text(content), path) if depth <= DEEPEST else ():
            if name not in known:
                yield from told(name, depth + 1)
        yield path, content

    yield from told(start, 1) if start else ()


def _first(names: Sequence[str]) -> str:
    return names[0] if names else ""


def _brings_any(folder: Path) -> bool:
    return any(os.path.lexists(folder / name) for name in NAMES)


def _enclosing(folder: Path) -> list[Path]:
    """The folders around it up to the root of its git repository, outermost first."""
    real = Path(os.path.realpath(folder))
    places = (real, *real.parents)
    roots = [at for at, place in enumerate(places) if os.path.lexists(place / ".git")]
    return list(reversed(places[1 : roots[0] + 1])) if roots else []


def _fitted(found: Sequence[Instruction]) -> tuple[Instruction, ...]:
    """The same within the bytes that all together may have, what counts most whole."""
    left, fitted = MOST_BYTES, list[Instruction]()
    for one in reversed(found):
        content = one.text.encode(errors="replace")
        kept = content[:left].decode(errors="ignore")
        if len(content) > left:
            kept = kept.rpartition("\n")[0] or kept
        cut = len(content) - len(kept.encode())
        left = 0 if cut else left - len(content)
        fitted.append(replace(one, text=kept, cut=cut))
    return tuple(reversed(fitted))
