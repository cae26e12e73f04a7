"""Instruction files, such as `AGENTS.md`, for every agent that works in a folder.

From a project, only files with exactly the trusted bytes count. The strongest comes last: the
user's own, those of the parent folders up to the repository's root, the project's.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..paths import locate_user_notes
from ..security.content_digest import (
    MAX_FILE_BYTES,
    UnreadableFileError,
    read_regular_file,
    read_with_digest,
)
from ..security.gitignore_match import matches_any
from ..security.redaction import redact
from ..trust.decision import Trust, check_trust
from ..trust.inventory import PLACES
from ..trust.referenced_instructions import find_project_start
from ..trust.resolved_imports import FileReader, decode_text, find_first_nonempty, read_with_imports

# In one folder, only the first file with any text is read: others often repeat or name it
NAMES = PLACES["instructions"]
# For all files together; the strongest are kept
MAX_BYTES = 32_000
HIDDEN = "no tool may read it"
NOT_AGREED = "it is new or has changed since its folder was trusted"
FOLDER_CHANGED = "its folder has changed since it was trusted"
FOLDER_UNTRUSTED = "its folder is not trusted"
_ASKS = (NOT_AGREED, FOLDER_CHANGED, FOLDER_UNTRUSTED)
# Path, text, and why it is left out
_ImportedFile = tuple[str, str, str]


@dataclass(frozen=True)
class Instruction:
    """One file."""

    name: str
    """Name shown to user and model: relative to the project, or the full path."""
    text: str
    cut: int = 0
    """Bytes left out because all files together are too large."""
    keeps_end: bool = False
    """Whether its beginning is cut instead of its end: in notes the newest count."""
    left_out: str = ""
    """Why the whole file is left out."""
    folder_to_trust: str = ""
    """The folder whose trust must be confirmed again before the file is used."""


def as_instruction(name: str, text: str, left_out: str, root: Path) -> Instruction:
    """Return a file with its text, or the reason to leave it out; `root` is its folder."""
    ask = os.path.realpath(root) if left_out in _ASKS else ""
    return Instruction(name, redact(text).strip(), left_out=left_out, folder_to_trust=ask)


def load_instructions(
    folder: Path, home: Path, trust: Trust, ignored: Sequence[str]
) -> tuple[Instruction, ...]:
    """Return all instructions, the strongest last.

    `trust` is the folder's; `ignored` are patterns of files that no tool may read.
    """
    patterns = (*ignored, ".git")
    instructions, notes = dict[str, Instruction](), str(locate_user_notes(home))
    for root, name, (path, text, left_out) in _find_files(folder, home, trust, patterns):
        instruction = as_instruction(name or path, text, left_out, root)
        real = os.path.realpath(root / path)  # the project may be the user's own folder
        instructions.setdefault(real, replace(instruction, keeps_end=instruction.name == notes))
    return fit_to_limit(
        [
            instruction
            for instruction in instructions.values()
            if instruction.text or instruction.left_out
        ]
    )


def _find_files(
    folder: Path, home: Path, trust: Trust, patterns: tuple[str, ...]
) -> Iterator[tuple[Path, str, _ImportedFile]]:
    """Yield the root, the name if it is not just the relative path, and each file."""
    read = _build_user_reader(home, patterns)
    for start in (find_first_nonempty(NAMES, read), locate_user_notes(home).name):
        for file in read_with_imports(start, read):
            yield home, str(home / file[0]), file
    for above in (place for place in _list_enclosing_folders(folder) if _has_instructions(place)):
        enclosing = check_trust(above, home)
        is_missed = trust.trusted and not enclosing.trusted  # else the project's own are, too
        for file in _read_enclosing(above, enclosing, patterns, is_missed=is_missed):
            yield above, str(above / file[0]), file
    for file in _read_project(folder, trust, patterns):
        yield folder, "", file


def _read_enclosing(
    folder: Path, trust: Trust, patterns: tuple[str, ...], *, is_missed: bool
) -> Iterator[_ImportedFile]:
    start = find_project_start(folder, [item.path for item in trust.inventory])
    if start and (trust.changed or is_missed):
        yield start, "", FOLDER_CHANGED if trust.changed else FOLDER_UNTRUSTED
    yield from _read_project(folder, trust, patterns)


def _read_project(folder: Path, trust: Trust, patterns: tuple[str, ...]) -> Iterator[_ImportedFile]:
    if trust.trusted:
        own = {item.path: item.digest for item in trust.inventory if item.kind == "instructions"}
        read = build_listed_reader(folder, {**trust.further, **own}, patterns)
        yield from read_with_imports(find_project_start(folder, own), read)


def build_listed_reader(
    folder: Path, digests: Mapping[str, str], patterns: tuple[str, ...]
) -> FileReader:
    """Return a reader of files in an inventory, with exactly these digests."""

    def read_listed(path: str) -> bytes | None:
        if not _is_file(folder / path):
            return None
        if _is_ignored(patterns, folder, path):
            raise UnreadableFileError(HIDDEN)
        digest, content = read_with_digest(os.path.realpath(folder), path)
        if digests.get(path) != digest:
            decode_text(content)  # no trust would help a file that is not text
            raise UnreadableFileError(NOT_AGREED)
        return content

    return read_listed


def _build_user_reader(home: Path, patterns: tuple[str, ...]) -> FileReader:
    """Return the reader of the user's own file: it may be a link; its imports stay beside it."""

    def read_user_file(path: str) -> bytes | None:
        if not _is_file(home / path):
            return None
        if path not in (*NAMES, locate_user_notes(home).name) and _is_ignored(patterns, home, path):
            raise UnreadableFileError(HIDDEN)
        return read_regular_file(os.path.realpath(home / path), MAX_FILE_BYTES)

    return read_user_file


def _is_file(path: Path) -> bool:
    """Return whether the path exists and may be a file: an `@name` is often just a word."""
    return os.path.lexists(path) and not os.path.isdir(path)


def _is_ignored(patterns: tuple[str, ...], root: Path, path: str) -> bool:
    """Return whether a pattern matches the file's name or its real path."""
    real = os.path.relpath(os.path.realpath(root / path), os.path.realpath(root))
    outside = real.split("/", 1)[0] == ".."
    return outside or any(matches_any(patterns, name) for name in (path, real))


def _has_instructions(folder: Path) -> bool:
    return any(os.path.lexists(folder / name) for name in NAMES)


def _list_enclosing_folders(folder: Path) -> list[Path]:
    """Return the parent folders up to the root of the git repository, outermost first."""
    real = Path(os.path.realpath(folder))
    places = (real, *real.parents)
    roots = [at for at, place in enumerate(places) if os.path.lexists(place / ".git")]
    return list(reversed(places[1 : roots[0] + 1])) if roots else []


def fit_to_limit(instructions: Sequence[Instruction]) -> tuple[Instruction, ...]:
    """Cut the instructions to the limit of bytes; the strongest stay whole."""
    left, fitting = MAX_BYTES, list[Instruction]()
    for instruction in reversed(instructions):
        small = (
            instruction
            if count_bytes(instruction) <= left
            else replace(instruction, text=_truncate_lines(instruction, left))
        )
        cut = count_bytes(instruction) - count_bytes(small)
        left = 0 if cut else left - count_bytes(instruction)
        fitting.append(replace(small, cut=cut))
    return tuple(reversed(fitting))


def count_bytes(instruction: Instruction) -> int:
    return len(instruction.text.encode(errors="replace"))


def _truncate_lines(instruction: Instruction, most: int) -> str:
    """Return at most that many bytes of its text, in whole lines if it has any."""
    content = instruction.text.encode(errors="replace")
    if instruction.keeps_end:
        end_text = content[len(content) - most :].decode(errors="ignore")
        return end_text.partition("\n")[2] or end_text
    start_text = content[:most].decode(errors="ignore")
    return start_text.rpartition("\n")[0] or start_text
