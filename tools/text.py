"""Bytes to text and back: byte-order mark, encoding and line endings of a file are kept."""

import codecs
import re
import unicodedata
from collections import Counter
from dataclasses import dataclass

from .diff import line_changes
from .result import ToolRefusal

BINARY_SIGN_WITHIN = 8_000
"""Bytes at the beginning in which a NUL makes a file binary, as git has it."""
GUESSED_FROM = 64_000
"""Bytes at the beginning from which a rare encoding is guessed."""
TOO_FEW = 4
"""Bytes beyond ASCII from which nothing can be guessed: mostly a Western name or sign."""

BINARY = "the file is binary, not text; `run_command` can look at it"

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
_OTHERS = ["cp1252", "cp1251", "koi8_r", "cp932", "euc_jp", "cp949", "big5"]
"""Encodings that are guessed; among all that exist, a short text fits an absurd one best."""
_ENDING = re.compile("\r?\n")


@dataclass(frozen=True)
class Decoded:
    """A file as text, and what is needed to write it back as it was."""

    text: str
    """Lines end with `\\n` here, whatever the file has. Undecodable bytes are lone surrogates."""
    encoding: str = "utf-8"
    bom: bytes = b""
    newline: str = "\n"
    """The most frequent line ending of the file."""
    endings: tuple[str, ...] = ()
    """Every line's own ending where the file mixes them, else empty."""


def decode(data: bytes) -> Decoded:
    """The file as text; raises ToolRefusal for a binary one."""
    bom = next((mark for mark in _MARKS if data.startswith(mark)), b"")
    if b"\0" in data[:BINARY_SIGN_WITHIN] and "16" not in _MARKS.get(bom, ""):
        raise ToolRefusal(BINARY)
    encoding = _MARKS[bom] if bom else _guess(data)
    raw = _text_of(data[len(bom) :], encoding)
    endings = tuple(_ENDING.findall(raw))
    if not endings and "\r" in raw:  # as on the Macs of old
        return Decoded(raw.replace("\r", "\n"), encoding, bom, "\r")
    newline = Counter(endings).most_common(1)[0][0] if endings else "\n"
    mixed = endings if len(set(endings)) > 1 else ()
    return Decoded(raw.replace("\r\n", "\n"), encoding, bom, newline, mixed)


def encode(old: Decoded, text: str) -> bytes:
    """The bytes of a changed text, written as the old one was; untouched lines keep their bytes.

    Raises ToolRefusal when the file's encoding cannot hold the text.
    """
    try:
        return old.bom + _with_endings(old, text).encode(old.encoding, _on_error(old))
    except UnicodeEncodeError as error:
        letter = error.object[error.start]
        raise ToolRefusal(
            f"the file's encoding, {old.encoding}, cannot hold U+{ord(letter):04X}; "
            "write it in other words, or as an escape of the file's language"
        ) from error


def lines_of(text: str) -> list[str]:
    """The text's lines without their ends; only `\n` ends a line, a form feed does not."""
    return text.removesuffix("\n").split("\n") if text else []


def lf(text: str) -> str:
    """The text with `\\n` for every line ending: what a model may send either way."""
    return text.replace("\r\n", "\n")


def printable(text: str) -> str:
    """The text with what is no character, an undecodable byte, written as `\\xff`."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")


def one_line(text: str) -> str:
    """The text without anything that could end its line: control characters become escapes."""
    return "".join(
        ascii(letter)[1:-1] if unicodedata.category(letter) in ("Cc", "Zl", "Zp") else letter
        for letter in printable(text)
    )


def _text_of(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(encoding, "surrogateescape" if encoding == "utf-8" else "strict")
    except UnicodeDecodeError as error:
        raise ToolRefusal(f"the file is marked as {encoding} but is damaged") from error
    if encoding.startswith("utf-16") and "\0" in text:
        raise ToolRefusal(BINARY)
    return text


def _guess(data: bytes) -> str:
    """Every guess must give back the very same bytes; `utf-8` with stray bytes always does."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        if not _is_mostly_utf8(data):
            guesses = ("gb18030",) if _is_chinese(data) else _detected(data)
            return next((name for name in guesses if _gives_back(data, name)), "utf-8")
    return "utf-8"


def _is_mostly_utf8(data: bytes) -> bool:
    text = data.decode("utf-8", "surrogateescape")
    stray = len(re.findall("[\udc80-\udcff]", text))
    beyond_ascii = len(re.findall(b"[^\0-\x7f]", data))
    return beyond_ascii > 2 * stray


def _is_chinese(data: bytes) -> bool:
    """Whether nearly all beyond ASCII is punctuation (rows A1 to A3) or everyday characters (B0 to
    D7) of GB2312; other encodings, read so, give rare characters.
    """
    try:
        found = re.sub("[\0-\x7f]", "", data.decode("gb18030"))
    except UnicodeDecodeError:
        return False
    rows = found.encode("gb2312", "ignore")[::2]
    return sum(row <= 0xA3 or 0xB0 <= row <= 0xD7 for row in rows) >= 0.8 * len(found)


def _detected(data: bytes) -> list[str]:
    if len(re.findall(b"[^\0-\x7f]", data)) < TOO_FEW:
        return [_OTHERS[0]]
    from charset_normalizer import from_bytes

    best = from_bytes(data[:GUESSED_FROM], cp_isolation=_OTHERS).best()
    return [name for name in _OTHERS if best and name in best.could_be_from_charset]


def _gives_back(data: bytes, encoding: str) -> bool:
    try:
        return data.decode(encoding).encode(encoding) == data
    except UnicodeError:
        return False


def _on_error(old: Decoded) -> str:
    """A byte that was no text when read goes back as it was; none is made anew."""
    damaged = re.search("[\udc80-\udcff]", old.text)
    return "surrogateescape" if damaged else "strict"


def _with_endings(old: Decoded, text: str) -> str:
    if not old.endings:
        return text if old.newline == "\n" else text.replace("\n", old.newline)
    lines = text.split("\n")
    return "".join(map("".join, zip(lines, [*_endings_for(old, lines), ""], strict=True)))


def _endings_for(old: Decoded, lines: list[str]) -> list[str]:
    """The ending of every new line: its own where it stood before, else that of a neighbour."""
    before = old.text.split("\n")
    last = len(old.endings) - 1
    found: list[str] = []
    for _, start, end, new_start, new_end in line_changes(before, lines):
        for place in range(new_end - new_start):
            neighbour = start + place if start + place < end else end - 1
            found.append(old.endings[min(max(neighbour, 0), last)])
    return found[: len(lines) - 1]
