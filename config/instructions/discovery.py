"""Instruction files, `AGENTS.md` and its like: what is told to every agent that works in a folder.

Of a project only the very bytes count that the user has said yes to. What counts most comes last:
the user's own, those of the folders around the project up to its repository's root, the project's.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..paths import user_notes
from ..security.content_digest import LARGEST, Odd, digest_of, regular_bytes
from ..security.gitignore_match import any_matches
from ..security.redaction import redacted
from ..trust.decision import Trust, trust_of
from ..trust.inventory import PLACES
from ..trust.referenced_instructions import own_start
from ..trust.resolved_imports import Read, first_that_says, text_of, with_imports

NAMES = PLACES["instructions"]
"""Of those in one folder the first that says anything is read: others often repeat or name it."""
MOST_BYTES = 32_000
"""Of all together; what counts most is kept."""
HIDDEN = "no tool may read it"
NOT_AGREED = "it is new or has changed since its folder was trusted"
FOLDER_CHANGED = "its folder has changed since it was trusted"
_Found = tuple[str, str, str]
"""Path, text, and why it is left out."""


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
    left_out: str = ""
    """Why nothing of it is told."""
    ask: str = ""
    """The folder whose trust has to be asked again before it is."""


def as_instruction(name: str, text: str, left_out: str, root: Path) -> Instruction:
    """A file with what it says, or why that is not told; `root`: the folder that it belongs to."""
    ask = os.path.realpath(root) if left_out in (NOT_AGREED, FOLDER_CHANGED) else ""
    return Instruction(name, redacted(text).strip(), left_out=left_out, ask=ask)


def instructions(
    folder: Path, home: Path, trust: Trust, ignored: Sequence[str]
) -> tuple[Instruction, ...]:
    """All that are told, what counts most last.

    `trust`: how the folder stands; `ignored`: patterns of the files that nobody may read.
    """
    patterns = (*ignored, ".git")
    found, notes = dict[str, Instruction](), str(user_notes(home))
    for root, name, (path, text, left_out) in _files(folder, home, trust, patterns):
        one = as_instruction(name or path, text, left_out, root)
        real = os.path.realpath(root / path)  # the project may be the user's own folder
        found.setdefault(real, replace(one, keeps_end=one.name == notes))
    return fitted([one for one in found.values() if one.text or one.left_out])


def _files(
    folder: Path, home: Path, trust: Trust, patterns: tuple[str, ...]
) -> Iterator[tuple[Path, str, _Found]]:
    """Root, name where that is not just the path from it, and each."""
    read = _users(home, patterns)
    for start in (first_that_says(NAMES, read), user_notes(home).name):
        for one in with_imports(start, read):
            yield home, str(home / one[0]), one
    for above in (place for place in _enclosing(folder) if _brings_any(place)):
        for one in _of_enclosing(above, trust_of(above, home), patterns):
            yield above, str(above / one[0]), one
    for one in _of_project(folder, trust, patterns):
        yield folder, "", one


def _of_enclosing(folder: Path, trust: Trust, patterns: tuple[str, ...]) -> Iterator[_Found]:
    start = own_start(folder, [one.path for one in trust.brought])
    if trust.changed and start:
        yield start, "", FOLDER_CHANGED
    yield from _of_project(folder, trust, patterns)


def _of_project(folder: Path, trust: Trust, patterns: tuple[str, ...]) -> Iterator[_Found]:
    if trust.trusted:
        own = {one.path: one.digest for one in trust.brought if one.kind == "instructions"}
        read = listed_only(folder, {**trust.further, **own}, patterns)
        yield from with_imports(own_start(folder, own), read)


def listed_only(folder: Path, listed: Mapping[str, str], patterns: tuple[str, ...]) -> Read:
    """Reads only what was listed with just these digests."""

    def read(path: str) -> bytes | None:
        if not _is_file(folder / path):
            return None
        if _is_ignored(patterns, folder, path):
            raise Odd(HIDDEN)
        digest, content = digest_of(os.path.realpath(folder), path)
        if listed.get(path) != digest:
            text_of(content)  # where that is what is wrong, no yes would help
            raise Odd(NOT_AGREED)
        return content

    return read


def _users(home: Path, patterns: tuple[str, ...]) -> Read:
    """The user's own file may be a link to anywhere; what it brings in stays beside it."""

    def read(path: str) -> bytes | None:
        if not _is_file(home / path):
            return None
        if path not in (*NAMES, user_notes(home).name) and _is_ignored(patterns, home, path):
            raise Odd(HIDDEN)
        return regular_bytes(os.path.realpath(home / path), LARGEST)

    return read


def _is_file(path: Path) -> bool:
    """Whether anything is there that may be one: an `@name` is often just a word."""
    return os.path.lexists(path) and not os.path.isdir(path)


def _is_ignored(patterns: tuple[str, ...], root: Path, path: str) -> bool:
    """Whether nobody may read it, under its own name or where it really is."""
    real = os.path.relpath(os.path.realpath(root / path), os.path.realpath(root))
    outside = real.split("/", 1)[0] == ".."
    return outside or any(any_matches(patterns, name) for name in (path, real))


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
