"""What a project states about a file's encoding, in `.gitattributes` or `.editorconfig`."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from pydantic_core import PydanticCustomError

from ...config.settings.encoding_names import validate_encoding

MAX_BYTES = 64_000
# A pattern with more of them is not read: matching it could take long
MAX_WILDCARDS = 8
MAX_ALTERNATIVES = 100

_ATTRIBUTE = "working-tree-encoding"
_LINE = re.compile(r'\s*("(?:[^"\\]|\\.)*"|\S+)(.*)')
_BRACES = re.compile(r"\{([^{}]*)\}")
_RANGE = re.compile(r"([+-]?\d{1,9})\.\.([+-]?\d{1,9})")
_TOKEN = re.compile(r"\*\*|\*|\?|\[!?[^\]/]+\]|\\.|.")


_LINE_ENDS = {"lf": "\n", "crlf": "\r\n", "cr": "\r"}


class _Statement(NamedTuple):
    pattern: str
    value: str
    """Empty: it takes an earlier statement back."""
    key: str = "charset"


def find_stated_encoding(root: Path, name: str) -> str:
    """Return Python's name of the encoding that the project states; mostly empty.

    Git's attribute counts before `.editorconfig`; one that Python does not know is none.
    """
    stated = _find_attribute(root, name) or _find_property(root, name, "charset")
    stated = "utf-8" if stated == "utf-8-bom" else stated
    try:
        return validate_encoding(stated) if stated else ""
    except PydanticCustomError:  # UTF-16, which is known by its byte-order mark
        return ""


def find_new_file_form(root: Path, name: str) -> tuple[str, bool]:
    """Return the line end that `.editorconfig` states for a new file, and if it has a BOM."""
    line_end = _LINE_ENDS.get(_find_property(root, name, "end_of_line"), "")
    return line_end, _find_property(root, name, "charset") == "utf-8-bom"


def _find_attribute(root: Path, name: str) -> str:
    encoding = ""
    for folder, below in _iter_folders(name):
        for statement in _parse_attributes(_read(root / folder / ".gitattributes")):
            if _matches(_to_expression(statement.pattern), below):
                encoding = statement.value
    return encoding


def _find_property(root: Path, name: str, key: str) -> str:
    value = ""
    for folder, below in _iter_folders(name):
        is_root, statements = _parse_editorconfig(_read(root / folder / ".editorconfig"))
        value = "" if is_root else value
        for statement in (each for each in statements if each.key == key):
            if any(_matches(each, below) for each in _build_patterns(statement.pattern)):
                value = statement.value
    return value


def _iter_folders(name: str) -> Iterator[tuple[str, str]]:
    """Yield each folder above the file from the project's down, and the file's name below it."""
    parts = name.split("/")
    for depth in range(len(parts)):
        yield "/".join(parts[:depth]), "/".join(parts[depth:])


def _read(path: Path) -> str:
    try:
        state = os.lstat(path)
    except OSError:
        return ""
    if not stat.S_ISREG(state.st_mode) or state.st_size > MAX_BYTES:
        return ""
    return _read_cached(path, state.st_mtime_ns, state.st_size, state.st_ino)


@lru_cache(maxsize=64)
def _read_cached(path: Path, _time: int, _size: int, _inode: int) -> str:
    try:
        return path.read_text(encoding="utf-8-sig", errors="replace")
    except OSError:
        return ""


@lru_cache(maxsize=64)
def _parse_attributes(text: str) -> Sequence[_Statement]:
    statements = list[_Statement]()
    for line in text.splitlines():
        match = _LINE.match(line)
        if not match or match[1].startswith(("#", "!", "[attr]")) or match[1].endswith("/"):
            continue
        pattern = match[1][1:-1] if match[1].startswith('"') else match[1]
        for word in match[2].split():
            attribute, _, value = word.partition("=")
            if attribute.lstrip("-!") == _ATTRIBUTE and pattern.count("*") <= MAX_WILDCARDS:
                statements.append(_Statement(pattern, value))
    return statements


@lru_cache(maxsize=64)
def _parse_editorconfig(text: str) -> tuple[bool, Sequence[_Statement]]:
    """Return whether the file says that none above it counts, and what it states."""
    is_root, section, statements = False, "", list[_Statement]()
    for line in map(str.strip, text.splitlines()):
        key, _, value = (part.strip().lower() for part in line.partition("="))
        if line.startswith("[") and line.endswith("]"):
            section = line[1:-1]
        elif not section and key == "root":
            is_root = value == "true"
        elif section and key in ("charset", "end_of_line"):
            statements.append(_Statement(section, "" if value == "unset" else value, key))
    return is_root, statements


@lru_cache(maxsize=256)
def _build_patterns(glob: str) -> Sequence[str]:
    """Return regular expressions for a pattern of `.editorconfig`."""
    globs = [glob]
    while any(map(_find_braces, globs)) and len(globs) <= MAX_ALTERNATIVES:
        globs = [other for each in globs for other in _expand_braces(each)]
    if len(globs) > MAX_ALTERNATIVES or any(each.count("*") > MAX_WILDCARDS for each in globs):
        return ()
    return [_to_expression(each) for each in globs]


def _expand_braces(glob: str) -> Sequence[str]:
    match = _find_braces(glob)
    if not match:
        return [glob]
    start, end = glob[: match.start()], glob[match.end() :]
    return [f"{start}{each}{end}" for each in _list_alternatives(match[1])]


def _find_braces(glob: str) -> re.Match[str] | None:
    """Return the first braces with alternatives or a range; around one word they are literal."""
    matches = (
        each for each in _BRACES.finditer(glob) if "," in each[1] or _RANGE.fullmatch(each[1])
    )
    return next(matches, None)


def _list_alternatives(braced: str) -> Sequence[str]:
    """Return the words, or the numbers of a range: of a long one too many for a pattern."""
    numbers = _RANGE.fullmatch(braced)
    if not numbers:
        return braced.split(",")
    first, last = sorted((int(numbers[1]), int(numbers[2])))
    return [str(number) for number in range(first, min(last, first + MAX_ALTERNATIVES) + 1)]


def _to_expression(glob: str) -> str:
    anchored = glob.removeprefix("/") if "/" in glob else f"**/{glob}"
    expression = "".join(map(_translate_token, _TOKEN.findall(anchored)))
    # `**/` is also no folder at all
    return expression.replace(".*/", "(?:.*/)?")


def _matches(expression: str, name: str) -> bool:
    try:
        return bool(re.fullmatch(expression, name))
    except re.error:  # such as `[z-a]`
        return False


def _translate_token(token: str) -> str:
    if token in (wildcards := {"**": ".*", "*": "[^/]*", "?": "[^/]"}):
        return wildcards[token]
    if len(token) > 2 and token.startswith("["):
        inner = token[1:-1]
        sign, letters = ("^", inner[1:]) if inner.startswith("!") else ("", inner)
        escaped = re.sub(r"([^\w-])", r"\\\1", letters)
        return f"[{sign}{escaped}]"
    return re.escape(token[1:] if len(token) == 2 else token)
