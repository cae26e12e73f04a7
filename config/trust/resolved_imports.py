"""What an instruction file brings in, over others too: as it is listed, so it is told."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from ..security.content_digest import UnreadableFileError, as_text
from .import_syntax import find_imports

DEEPEST = 5
"""Files that bring each other in."""
LARGEST = 100_000
"""Bytes of a file that is brought in."""
TOO_LARGE = "it is over 100 kB"
NOT_TEXT = "it is not UTF-8 text"
FileReader = Callable[[str], bytes | None]
"""Reads a file by its path from a root; None where there is none. Raises Odd: why it may not be."""
NameLister = Callable[[str], Sequence[str] | None]
"""The files that a file names, by its path; None for what is no more than a word."""


def follow_imports(start: str, names_in: NameLister) -> dict[str, Sequence[str]]:
    """The file and all that it brings in with what each names, by the shortest ways to them."""
    found, known, waiting = dict[str, Sequence[str]](), {start}, [(start, 0)]
    for path, depth in waiting:  # which grows meanwhile
        if (names := names_in(path)) is None:
            continue
        found[path] = names
        new = [name for name in names if name not in known] if depth < DEEPEST else []
        known.update(new)
        waiting += [(name, depth + 1) for name in new]
    return found


def read_with_imports(start: str, read: FileReader) -> Iterator[tuple[str, str, str]]:
    """The file and what it brings in, each behind those that it names: path, text, and why it is
    left out, which is mostly empty.
    """
    found = dict[str, tuple[str, str]]()

    def read_names(path: str) -> Sequence[str] | None:
        try:
            if (content := read(path)) is None:
                return None
            text = decode_text(content, len(content) if path == start else LARGEST)
        except UnreadableFileError as odd:
            found[path] = "", str(odd)
            return ()
        found[path] = text, ""
        return find_imports(text, path)

    for path in _order_by_import(start, follow_imports(start, read_names)):
        yield path, *found[path]


def decode_text(content: bytes, most: int = LARGEST) -> str:
    """What a file says that has so many bytes at most; raises Odd."""
    if len(content) > most:
        raise UnreadableFileError(TOO_LARGE)
    if (text := as_text(content)) is None:
        raise UnreadableFileError(NOT_TEXT)
    return text


def find_first_nonempty(paths: Iterable[str], read: FileReader) -> str:
    """Of files in one folder the first that is there and not empty; else nothing."""
    for path in paths:
        with suppress(UnreadableFileError):
            if (read(path) or b"").strip():
                return path
    return ""


def _order_by_import(start: str, named: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Each once behind those that it names, so that it counts more."""
    entered, way = {start}, [(start, iter(named[start]))] if start in named else []
    while way:
        path, names = way[-1]
        name = next((one for one in names if one in named and one not in entered), "")
        if name:
            entered.add(name)
            way.append((name, iter(named[name])))
        else:
            way.pop()
            yield path
