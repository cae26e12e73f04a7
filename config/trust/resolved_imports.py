"""Imports of instruction files by `@path`: their syntax and their targets."""

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress

from ..security.content_digest import UnreadableFileError, as_text

MAX_DEPTH = 5  # imports of imports
MAX_IMPORT_BYTES = 100_000  # bytes of an imported file
TOO_LARGE = "it is over 100 kB"
NOT_TEXT = "it is not UTF-8 text"
# Reads a file by its path below a root; None without one. Raises UnreadableFileError.
FileReader = Callable[[str], bytes | None]
# Lists the files that a file imports; None where the path is not a file
NameLister = Callable[[str], Sequence[str] | None]


def follow_imports(start: str, names_in: NameLister) -> dict[str, Sequence[str]]:
    """Find the file and all imported files, each with the names in it."""
    names_by_path, known_paths, waiting = dict[str, Sequence[str]](), {start}, [(start, 0)]
    # breadth first, and the list grows on the way: the depth of a file is its shortest one
    for path, depth in waiting:
        if (names := names_in(path)) is None:
            continue
        names_by_path[path] = names
        new = [name for name in names if name not in known_paths] if depth < MAX_DEPTH else []
        known_paths.update(new)
        waiting += [(name, depth + 1) for name in new]
    return names_by_path


def read_with_imports(start: str, read: FileReader) -> Iterator[tuple[str, str, str]]:
    """Yield the file and its imports, each after its own imports.

    Each has a path, a text, and the reason to leave it out, which is mostly empty.
    """
    texts = dict[str, tuple[str, str]]()

    def read_names(path: str) -> Sequence[str] | None:
        try:
            if (content := read(path)) is None:
                return None
            text = decode_text(content, len(content) if path == start else MAX_IMPORT_BYTES)
        except UnreadableFileError as odd:
            texts[path] = "", str(odd)
            return ()
        texts[path] = text, ""
        return find_imports(text, path)

    for path in _order_by_import(start, follow_imports(start, read_names)):
        yield path, *texts[path]


def decode_text(content: bytes, most: int = MAX_IMPORT_BYTES) -> str:
    """Return the text of a file of at most that many bytes; raises UnreadableFileError."""
    if len(content) > most:
        raise UnreadableFileError(TOO_LARGE)
    if (text := as_text(content)) is None:
        raise UnreadableFileError(NOT_TEXT)
    return text


def find_first_nonempty(paths: Iterable[str], read: FileReader) -> str:
    """Return the first of a folder's files that exists and is not empty; else an empty string."""
    for path in paths:
        with suppress(UnreadableFileError):
            if (read(path) or b"").strip():
                return path
    return ""


def _order_by_import(start: str, named: Mapping[str, Sequence[str]]) -> Iterator[str]:
    """Yield each file once after its own imports, so that it has priority."""
    entered, way = {start}, [(start, iter(named[start]))] if start in named else []
    while way:
        path, names = way[-1]
        name = next((other for other in names if other in named and other not in entered), "")
        if name:
            entered.add(name)
            way.append((name, iter(named[name])))
        else:
            way.pop()
            yield path


# Most names checked in one file: most text after an `@` is not a file
MAX_NAMES = 100


# Characters of one file that are searched for names
MAX_READ_BYTES = 32_000


_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})([^\n]*)")


_NAME = re.compile(r"(?<![^\s(])@([^\s`@]+)")


_PUNCTUATION = ".,;:!?)]}'\"\u3002\uff0c\uff1b\uff1a\uff01\uff1f\uff09"


_BLANK_LINE = re.compile(r"\n[ \t]*\n")


def find_imports(text: str, path: str) -> list[str]:
    """Return the imports in the text of the file at `path`, relative to the same root.

    They need not exist; paths outside of the root, or with `/` or `~` first, are skipped.
    """
    imports: dict[str, None] = {}
    for paragraph in _BLANK_LINE.split(_strip_code_blocks(text[:MAX_READ_BYTES])):
        for match in _NAME.finditer(_without_spans(paragraph)):
            if len(imports) == MAX_NAMES:
                return list(imports)
            if name := _resolve_import(path, match[1].rstrip(_PUNCTUATION)):
                imports[name] = None
    return list(imports)


def _resolve_import(path: str, name: str) -> str:
    if not name or name.startswith(("/", "~")) or "\0" in name:
        return ""
    target = os.path.normpath(os.path.join(os.path.dirname(path), name))
    return "" if target == "." or target.split("/", 1)[0] == ".." else target


def _strip_code_blocks(text: str) -> str:
    """Return the text without its fenced code; an open fence extends to the end."""
    lines, fence = list[str](), ""
    for line in text.splitlines():
        match = _FENCE.match(line)
        if fence:
            closes = match and match[1].startswith(fence) and not match[2].strip()
            fence = "" if closes else fence
        elif match and not (match[1][0] == "`" and "`" in match[2]):
            fence = match[1]
            lines.append("")  # a code span ends before it
        else:
            lines.append(line)
    return "\n".join(lines)


def _without_spans(paragraph: str) -> str:
    """Return the paragraph without code spans, which end at the next run of as many backticks."""
    runs = list(re.finditer("`+", paragraph))
    ends, following = dict[int, re.Match[str]](), dict[int, re.Match[str]]()
    for run in reversed(runs):
        if other := following.get(len(run[0])):
            ends[run.start()] = other
        following[len(run[0])] = run
    return "".join(_iter_outside_spans(paragraph, runs, ends))


def _iter_outside_spans(
    paragraph: str, runs: list[re.Match[str]], ends: dict[int, re.Match[str]]
) -> Iterator[str]:
    done = 0
    for run in runs:
        if run.start() >= done and (end := ends.get(run.start())):
            yield paragraph[done : run.start()] + "`"
            done = end.end()
    yield paragraph[done:]
