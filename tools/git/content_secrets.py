"""Secrets in a content of any kind, read as bytes: text, UTF-16, binary, wrapped over lines.

`config/security/secrets/` knows what a secret looks like; this makes the texts that it reads.
"""

import base64
import binascii
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from ...config.security.secrets.detection import find_secrets
from ...config.security.secrets.rules import load_rules

# Characters of a value over several lines, and of its part in a line between two others
MIN_JOINED, MAX_JOINED, MIN_PIECE = 16, 500, 8
# Characters of a chain that are read together; two that follow each other share MAX_JOINED
MAX_WINDOW = 4 * MAX_JOINED
_PRINTED = re.compile(rb"[\t\r\n\x20-\x7e]{8,}")
_WIDE = re.compile(rb"(?:[\t\r\n\x20-\x7e]\0{1,3}){8,}[\x20-\x7e]?")
# A word at the end of a line, before what continues it: a quote, a sign, a backslash
# (of the line backwards: a search for an end would begin at each character)
_TAIL = re.compile(r"[ \t\r]{0,8}[\\+.,&]?[ \t]{0,4}[\"'`]?([\w.~+/=-]{1,400})", re.ASCII)
_HEAD = re.compile(r"[ \t]{0,80}(?:[+.&#*>|]|//)?[ \t]{0,8}[\"'`]?([\w.~+/=-]{1,400})", re.ASCII)
# A line that begins with it continues no word
_ARGUMENT = re.compile(r"[A-Za-z_]\w{0,60}=[^=]", re.ASCII)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_ENCODED_TEXT = re.compile(rb"[\t\r\n\x20-\x7e]{16,}")
# Bytes of text of which at most one in so many may be a NUL
_FEW_NULS = 20


class Piece(NamedTuple):
    """A word at the end or the beginning of a line."""

    line: int
    word: str


def find_content_secrets(content: bytes) -> list[tuple[int, str]]:
    """Return line and kind of each secret, in order; line 0 is somewhere in a binary content."""
    if is_text(content):
        text = content.decode("utf-8", "replace")
        found = list(_scan(text))
        known = {kind for _, kind in found}
        chains = list(_list_chains(text))
        found += [(line, kind) for line, kind in _scan_chains(chains) if kind not in known]
        encoded = "\n".join([*_decode_base64(text), *_decode_chains(chains)])
        return sorted(set(found)) or [(0, kind) for _, kind in _scan(encoded)]
    kinds = dict.fromkeys(
        kind for text in _list_texts(content) for _, kind in find_content_secrets(text)
    )
    return [(0, kind) for kind in kinds]


def is_text(content: bytes) -> bool:
    """Return whether a content is text in one byte a character, or in UTF-8."""
    return b"\0" not in content


def decode_wide(content: bytes) -> str | None:
    """Return the text of a content in UTF-16; None if it is something else."""
    for encoding, mark in (("utf-16-le", b"\xff\xfe"), ("utf-16-be", b"\xfe\xff")):
        odd = content[1::2] if encoding == "utf-16-le" else content[::2]
        if content.startswith(mark) or (odd and odd.count(0) * 10 > len(odd) * 9):
            try:
                text = content.decode(encoding).removeprefix("\ufeff")
            except UnicodeDecodeError:
                continue
            if "\0" not in text:
                return text
    return None


def _list_texts(content: bytes) -> Iterator[bytes]:
    """Yield the texts in a binary content."""
    if content.count(0) * _FEW_NULS < len(content):
        yield content.replace(b"\0", b"")
    if (wide := decode_wide(content)) is not None:
        yield wide.encode("utf-8", "replace").replace(b"\0", b"")
    yield b"\n".join(_PRINTED.findall(content))
    yield b"\n".join(run.replace(b"\0", b"") for run in _WIDE.findall(content))


def _scan(text: str) -> Iterator[tuple[int, str]]:
    """Yield line and kind of each secret in a text."""
    number, at = 1, 0
    for secret in find_secrets(text):
        number, at = number + text.count("\n", at, secret.start), secret.start
        yield number, secret.name


def _list_chains(text: str) -> Iterator[list[Piece]]:
    """Yield each line's end with what continues it in the next lines; no part is in two of them."""
    lines = text.split("\n")
    tails = [_TAIL.match(line[: -MAX_JOINED - 1 : -1]) for line in lines]
    matches = [_HEAD.match(line) for line in lines]
    heads = [None if match and _ARGUMENT.match(match[1]) else match for match in matches]
    start = 0
    while start < len(lines) - 1:
        tail, at = tails[start], start + 1
        if tail and heads[at]:
            chain = [Piece(start + 1, tail[1][::-1])]
            while at < len(lines) and (head := heads[at]):
                chain.append(Piece(at + 1, head[1]))
                rest = tails[at]
                # only a line that is nothing but a long word continues in the one after it
                if not rest or len(head[1]) < MIN_PIECE or rest[1][::-1] != head[1]:
                    break
                at += 1
            yield chain
        start = at


def _scan_chains(chains: Iterable[list[Piece]]) -> Iterator[tuple[int, str]]:
    """Yield line and kind of each secret over several lines; the same words are read once."""
    known, words, starts, lines, at = set[str](), list[str](), list[int](), list[int](), 0
    for window in (window for chain in chains for window in _list_windows(chain)):
        joined = "".join(piece.word for piece in window)
        if len(joined) < MIN_JOINED or joined in known:
            continue
        known.add(joined)
        words.append(joined)
        for piece in window:
            starts.append(at)
            lines.append(piece.line)
            at += len(piece.word)
        at += 1
    for secret in find_secrets("\n".join(words)):
        yield lines[bisect_right(starts, secret.start) - 1], secret.name


def _list_windows(chain: list[Piece]) -> Iterator[list[Piece]]:
    """Yield parts of a chain in which each secret is whole, with what precedes it or without."""
    start, end = 0, _find_end(chain, 0, MAX_WINDOW)
    yield chain[:end]
    while end < len(chain):
        before, start, overlap = start, end, 0
        while start > before + 1 and overlap < MAX_JOINED:
            start -= 1
            overlap += len(chain[start].word)
        end = _find_end(chain, start, MAX_WINDOW)
        yield chain[start:end]
    for at in range(1, len(chain) - 1):
        # a key is known as one if no word precedes it
        if _compile_beginnings().match(chain[at].word):
            yield chain[at : _find_end(chain, at, MAX_JOINED)]
        elif "=" in chain[at].word:
            yield chain[at : at + 3]


def _find_end(chain: list[Piece], at: int, most: int) -> int:
    """Return where the pieces from `at` on have that many characters."""
    length = 0
    while at < len(chain) and length < most:
        length, at = length + len(chain[at].word), at + 1
    return at


@cache
def _compile_beginnings() -> re.Pattern[str]:
    words = {word for rule in load_rules() if rule.scope == "word" for word in rule.keywords}
    return re.compile(f"[^a-z0-9]{{0,2}}(?:{'|'.join(map(re.escape, sorted(words)))})", re.I)


def _decode_base64(text: str) -> Iterator[str]:
    """Yield the readable texts that are in base64 in a text."""
    for run in _BASE64.findall(text):
        content = _decode_run(run)
        if _ENCODED_TEXT.match(content):
            yield from (piece.decode() for piece in _ENCODED_TEXT.findall(content))


def _decode_chains(chains: Iterable[list[Piece]]) -> Iterator[str]:
    """Yield the readable texts that are in base64 over several lines, wherever it begins."""
    text = "\n".join("".join(piece.word for piece in chain) for chain in chains)
    for run in _BASE64.findall(text):
        for begin in range(4):
            content = _decode_run(run[begin:])
            yield from (piece.decode() for piece in _ENCODED_TEXT.findall(content))


def _decode_run(run: str) -> bytes:
    word = run.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        return base64.b64decode(word[: len(word) - (len(word) % 4 == 1)] + "=" * (-len(word) % 4))
    except (binascii.Error, ValueError):
        return b""
