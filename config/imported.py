"""What an instruction file brings in, over others too: as it is listed, so it is told."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from .imports import imports_in
from .known_content import as_text

DEEPEST = 5
"""Files that bring each other in."""
LARGEST = 100_000
"""Bytes of a file that is brought in."""
Read = Callable[[str], bytes | None]
"""Reads a file by its path from a root; None for what may not be read, or is not there."""
Names = Callable[[str], Sequence[str] | None]
"""The files that a file names, by its path; None as above."""


def reached(start: str, names_in: Names) -> dict[str, Sequence[str]]:
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


def with_imports(start: str, read: Read) -> Iterator[tuple[str, str | None]]:
    """The texts of the file and of what it brings in, each behind those that it names.

    None for the file itself where it is no text; of others then nothing is said.
    """
    texts = dict[str, str | None]()

    def names_in(path: str) -> Sequence[str] | None:
        content = read(path)
        if content is None or (path != start and len(content) > LARGEST):
            return None
        text = as_text(content)
        if text is not None or path == start:
            texts[path] = text
        return text if text is None else imports_in(text, path)

    for path in _in_order(start, reached(start, names_in)):
        yield path, texts[path]
    if texts.get(start, "") is None:
        yield start, None


def _in_order(start: str, named: Mapping[str, Sequence[str]]) -> Iterator[str]:
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
