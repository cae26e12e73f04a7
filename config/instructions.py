"""Instruction files, `AGENTS.md` and its like: what is told to every agent that works in a folder.

Of a project only the very bytes count that the user has said yes to. What counts most comes last:
the user's own, those of the folders around the project up to its repository's root, the project's.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from .brought import PLACES
from .imported import Read, with_imports
from .known_content import LARGEST, Odd, read_listed_as, regular_bytes
from .name_patterns import any_matches
from .paths import user_notes
from .redaction import redacted
from .trust import Trust, trust_of

NAMES = PLACES["instructions"]
"""Of those in one folder the first that is there is read: others often repeat or name it."""
MOST_BYTES = 32_000
"""Of all together; what counts most is kept."""


@dataclass(frozen=True)
class Instruction:
    """One file."""

    name: str
    """As people and the model read it: relative to the project, or its whole path."""
    text: str
    cut: int = 0
    """Bytes that are left out, since all together are too much."""
    keeps_end: bool = False
    """Whether they are those at its beginning: of notes the newest count."""
    is_odd: bool = False
    """Whether it is no text, so that nothing of it is told."""


def as_instruction(name: str, text: str | None, *, keeps_end: bool = False) -> Instruction:
    """A file with what it says; None: it is no text."""
    said = redacted(text or "").strip()
    return Instruction(name, said, keeps_end=keeps_end, is_odd=text is None)


def instructions(
    folder: Path, home: Path, trust: Trust, ignored: Sequence[str]
) -> tuple[Instruction, ...]:
    """All that are told, what counts most last.

    `trust`: how the folder stands; `ignored`: patterns of the files that nobody may read.
    """
    patterns = (*ignored, ".git")
    found, notes = dict[str, Instruction](), str(user_notes(home))
    for root, path, name, text in _files(folder, home, trust, patterns):
        real = os.path.realpath(root / path)  # the project may be the user's own folder
        found.setdefault(real, as_instruction(name, text, keeps_end=name == notes))
    return fitted([one for one in found.values() if one.text or one.is_odd])


def _files(
    folder: Path, home: Path, trust: Trust, patterns: tuple[str, ...]
) -> Iterator[tuple[Path, str, str, str | None]]:
    """Root, path from it, name and text of each."""
    read = _users(home, patterns)
    notes = user_notes(home).name
    for start in (_first([name for name in NAMES if (home / name).is_file()]), notes):
        for path, text in with_imports(start, read):
            yield home, path, str(home / path), text
    for above in (place for place in _enclosing(folder) if _brings_any(place)):
        for path, text in _of_project(above, trust_of(above, home), patterns):
            yield above, path, str(above / path), text
    for path, text in _of_project(folder, trust, patterns):
        yield folder, path, path, text


def _of_project(
    folder: Path, trust: Trust, patterns: tuple[str, ...]
) -> Iterator[tuple[str, str | None]]:
    if trust.trusted:
        own = {one.path: one.digest for one in trust.brought if one.kind == "instructions"}
        start = _first([name for name in NAMES if name in own])
        yield from with_imports(start, listed_only(folder, {**trust.further, **own}, patterns))


def listed_only(folder: Path, listed: Mapping[str, str], patterns: tuple[str, ...]) -> Read:
    """Reads only what was listed with just these digests."""

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


def fitted(found: Sequence[Instruction]) -> tuple[Instruction, ...]:
    """The same within the bytes that all together may have, what counts most whole."""
    left, kept = MOST_BYTES, list[Instruction]()
    for one in reversed(found):
        small = one if size_of(one) <= left else replace(one, text=_lines_within(one, left))
        cut = size_of(one) - size_of(small)
        left = 0 if cut else left - size_of(one)
        kept.append(replace(small, cut=cut))
    return tuple(reversed(kept))


def size_of(one: Instruction) -> int:
    """Bytes of its text."""
    return len(one.text.encode(errors="replace"))


def _lines_within(one: Instruction, most: int) -> str:
    """So many bytes of it at most, in whole lines where there are any."""
    content = one.text.encode(errors="replace")
    if one.keeps_end:
        kept = content[len(content) - most :].decode(errors="ignore")
        return kept.partition("\n")[2] or kept
    kept = content[:most].decode(errors="ignore")
    return kept.rpartition("\n")[0] or kept
