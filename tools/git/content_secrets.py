"""Secrets in a content of any kind, read as bytes: text, UTF-16, binary, wrapped over lines.

`config/security/secrets/` knows what a secret looks like; this makes the texts that it reads.
"""

import base64
import binascii
import re
from collections.abc import Iterator

from ...config.security.secrets.detection import find_secrets

# Characters of a value over several lines, and of its part in a line between two others
MIN_JOINED, MAX_JOINED, MIN_PIECE = 16, 500, 8
_PRINTED = re.compile(rb"[\t\r\n\x20-\x7e]{8,}")
_WIDE = re.compile(rb"(?:[\t\r\n\x20-\x7e]\0{1,3}){8,}[\x20-\x7e]?")
# A word at the end of a line, before what continues it: a quote, a sign, a backslash
# (of the line backwards: a search for an end would begin at each character)
_TAIL = re.compile(r"[ \t\r]{0,8}[\\+.,&]?[ \t]{0,4}[\"'`]?([\w.~+/=-]{1,400})", re.ASCII)
_HEAD = re.compile(r"[ \t]{0,80}(?:[+.&#*>|]|//)?[ \t]{0,8}[\"'`]?([\w.~+/=-]{1,400})", re.ASCII)
_BASE64 = re.compile(r"[A-Za-z0-9+/_-]{24,}={0,2}")
_ENCODED_TEXT = re.compile(rb"[\t\r\n\x20-\x7e]{16,}")
# Bytes of text of which at most one in so many may be a NUL
_FEW_NULS = 20


def find_content_secrets(content: bytes) -> list[tuple[int, str]]:
    """Return line and kind of each secret, in order; line 0 is somewhere in a binary content."""
    if is_text(content):
        text = content.decode("utf-8", "replace")
        found = list(_scan(text))
        known = {kind for _, kind in found}
        joined = list(_list_joined_lines(text))
        found += [
            (joined[line - 1][0], kind)
            for line, kind in _scan("\n".join(words for _, words in joined))
            if kind not in known
        ]
        encoded = _decode_base64("\n".join([text, *(words for _, words in joined)]))
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


def _list_joined_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield each line's end with what continues it in the next lines, and the line's number."""
    lines = text.split("\n")
    tails = [_TAIL.match(line[: -MAX_JOINED - 1 : -1]) for line in lines]
    heads = [_HEAD.match(line) for line in lines]
    for number, tail in enumerate(tails[:-1], 1):
        if not tail or not heads[number]:
            continue
        words, at = tail[1][::-1], number
        while at < len(lines) and len(words) < MAX_JOINED and (head := heads[at]):
            words += head[1]
            rest = tails[at]
            # only a line that is nothing but a long word continues in the one after it
            if not rest or len(head[1]) < MIN_PIECE or rest[1][::-1] != head[1]:
                break
            at += 1
        if len(words) >= MIN_JOINED:
            yield number, words


def _decode_base64(text: str) -> str:
    """Return the readable texts that are in base64 in a text."""
    decoded = list[str]()
    for run in _BASE64.findall(text):
        word = run.rstrip("=").replace("-", "+").replace("_", "/")
        try:
            content = base64.b64decode(word + "=" * (-len(word) % 4))
        except (binascii.Error, ValueError):
            continue
        if _ENCODED_TEXT.match(content):
            decoded += [piece.decode() for piece in _ENCODED_TEXT.findall(content)]
    return "\n".join(decoded)
