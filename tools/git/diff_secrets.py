"""Secrets in the lines that a diff adds: their files and lines, never the secrets."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...config.security.redaction import find_marks, redact

_HUNK = re.compile(r"@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")
_ESCAPED = re.compile(rb"\\([0-7]{3}|.)")
_LETTERS = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"a": b"\a", b"b": b"\b", b"f": b"\f"}


@dataclass(frozen=True)
class AddedBlock:
    """Contiguous lines that a diff adds to a file."""

    path: str
    line: int
    """Number of the first one in the new file."""
    lines: list[str]


@dataclass(frozen=True)
class FoundSecret:
    """A line with what looks like a secret."""

    path: str
    line: int
    kind: str
    """What it looks like, such as `GitHub token`."""


def find_secrets(diff: str) -> list[FoundSecret]:
    """Return the added lines that redaction would change, in order."""
    return [secret for block in list_added_blocks(diff) for secret in _scan_block(block)]


def list_added_blocks(diff: str) -> Iterator[AddedBlock]:
    """Yield the lines that a unified diff adds, without their `+`."""
    path, number, left_old, left_new = "", 0, 0, 0
    block: AddedBlock | None = None
    for line in diff.split("\n"):
        is_added = left_new > 0 and line.startswith("+")
        if block and not is_added:
            yield block
            block = None
        if is_added:
            block = block or AddedBlock(path, number, [])
            block.lines.append(line[1:])
            number, left_new = number + 1, left_new - 1
        elif left_old > 0 and line.startswith("-"):
            left_old -= 1
        elif (left_old > 0 or left_new > 0) and not line.startswith("\\"):
            number, left_old, left_new = number + 1, left_old - 1, left_new - 1
        elif line.startswith("+++ "):
            path = parse_diff_path(line[4:])
        elif hunk := _HUNK.match(line):
            left_old, number, left_new = int(hunk[1] or 1), int(hunk[2]), int(hunk[3] or 1)
    if block:
        yield block


def parse_diff_path(quoted_path: str) -> str:
    """Return the path after `+++ `, without `b/`."""
    return unquote_path(quoted_path.rstrip("\t\r")).removeprefix("b/")


def unquote_path(quoted_path: str) -> str:
    """Return a path that git may have quoted for its special characters."""
    if len(quoted_path) > 1 and quoted_path.startswith('"') and quoted_path.endswith('"'):
        plain = _ESCAPED.sub(_unescape, quoted_path[1:-1].encode())
        quoted_path = plain.decode(errors="surrogateescape")
    return quoted_path


def _unescape(match: re.Match[bytes]) -> bytes:
    letter = match[1]
    return bytes([int(letter, 8) & 255]) if len(letter) == 3 else _LETTERS.get(letter, letter)


def _scan_block(block: AddedBlock) -> Iterator[FoundSecret]:
    whole = "\n".join(block.lines)
    if redact(whole) == whole:
        return
    has_secret_line = False
    for offset, line in enumerate(block.lines):
        clean = redact(line)
        if clean != line:
            has_secret_line = True
            yield FoundSecret(block.path, block.line + offset, _name_kind(line, clean))
    if not has_secret_line:  # a private key, or another secret of several lines
        yield FoundSecret(block.path, block.line, _name_kind(whole, redact(whole)))


def _name_kind(before: str, after: str) -> str:
    marks = sorted(find_marks(after) - find_marks(before)) or sorted(find_marks(after))
    return ", ".join(mark.removeprefix("[secret: ").removesuffix("]") for mark in marks)
