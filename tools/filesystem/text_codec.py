"""Bytes to text and back, with byte-order mark, encoding and line endings of the file."""

import codecs
import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ..result import ToolError
from ..workspace import Workspace
from .line_endings import Endings, with_endings, without_endings

if TYPE_CHECKING:
    from ..textedits.text_edits import TextEdit

# bytes at the beginning in which a NUL makes a file binary, as git has it
BINARY_SIGN_WITHIN = 8_000

BINARY = "the file is binary, not text; `run_command` can look at it"

NUL = (
    "the new text has a NUL character, which would make the file binary; nothing was written: "
    "write it as an escape of the file's language"
)

_UNCERTAIN = (
    "the file's encoding is not certain ({names}), so the bytes of {letter} are not known; nothing "
    "was written: write it in ASCII, or ask the user to set `encoding` for this file"
)

_MARKS = {
    codecs.BOM_UTF8: "utf-8",
    codecs.BOM_UTF16_LE: "utf-16-le",
    codecs.BOM_UTF16_BE: "utf-16-be",
}
# a byte that is no text, as it is read
_STRAY = re.compile("[\udc80-\udcff]")


@dataclass(frozen=True)
class DecodedText:
    """A file as text, and what is needed to write it back as it was."""

    text: str
    """Lines end with `\\n` for any line ending in the file. Undecodable bytes are lone
    surrogates."""
    encoding: str = "utf-8"
    bom: bytes = b""
    endings: Endings = Endings()
    data: bytes = b""
    """The file's bytes."""
    alternatives: tuple[str, ...] = ()
    """More encodings in which the bytes are the same text: new letters must fit them, too."""


def decode_file(workspace: Workspace, name: str, data: bytes) -> DecodedText:
    """Decode a file of the project, whose encoding a person or the project may have named.

    An empty file has the line ends that the project states for new ones.
    """
    decoded = decode_text(data, choose_encoding(workspace, name, data))
    if data or workspace.is_outside:
        return decoded
    from ..encodings.project_statements import find_new_file_form

    line_end, has_bom = find_new_file_form(workspace.root, name)
    bom = codecs.BOM_UTF8 if has_bom and decoded.encoding == "utf-8" else b""
    return replace(decoded, endings=Endings(line_end or decoded.endings.usual), bom=bom)


def choose_encoding(workspace: Workspace, name: str, data: bytes) -> str:
    """Return the encoding that a person or the project names for a file with these bytes."""
    encoding = workspace.find_encoding(name)
    # Latin-1 fits all bytes: letters that are UTF-8 show that the project's statement is old
    is_doubtful = encoding == "iso8859-1" and not workspace.find_set_encoding(name)
    return "" if is_doubtful and _is_utf8(data) else encoding


def _is_utf8(data: bytes) -> bool:
    try:
        return not data.isascii() and bool(data.decode())
    except UnicodeDecodeError:
        return False


def decode_text(data: bytes, encoding: str = "") -> DecodedText:
    """Decode a file, in the encoding that a person has named, if its bytes can be in that one.

    Raises ToolError for a binary one.
    """
    from ..encodings.guess import guess_encodings

    bom = next((mark for mark in _MARKS if data.startswith(mark)), b"")
    if b"\0" in data[:BINARY_SIGN_WITHIN] and "16" not in _MARKS.get(bom, ""):
        raise ToolError(BINARY)
    encoding, *alternatives = (_MARKS[bom],) if bom else guess_encodings(data, encoding)
    text, endings = without_endings(_decode_body(data[len(bom) :], encoding))
    return DecodedText(text, encoding, bom, endings, data, tuple(alternatives))


def encode_text(old: DecodedText, text: str, pieces: "Sequence[TextEdit] | None" = None) -> bytes:
    """Encode a changed text as the old one was; unchanged lines keep their bytes.

    `pieces` say what changed, by places in the old text, where that is known; else the two texts
    are compared. Raises ToolError when the file's encoding cannot hold the text, or is not certain
    enough to know its bytes.
    """
    if text.count("\0") > old.text.count("\0"):
        raise ToolError(NUL)
    if not old.data and old.endings.usual != "\n":  # of a new file, whose model may write them
        text = normalize_newlines(text)
    raw = with_endings(old.text, old.endings, text, pieces)
    on_error = _on_error(old, text)
    try:
        data = raw.encode(old.encoding, on_error)
    except UnicodeEncodeError as error:
        from ..encodings.guess import UNKNOWN

        letter = _format_letter(error)
        if old.encoding == UNKNOWN:
            raise ToolError(_UNCERTAIN.format(letter=letter, names="unknown")) from error
        raise ToolError(
            f"the file's encoding, {old.encoding}, cannot hold {letter}; "
            "write it in other words, or as an escape of the file's language"
        ) from error
    for name in old.alternatives:
        _check_alternative(old, raw, name, on_error, data)
    return old.bom + data


def _check_alternative(old: DecodedText, raw: str, name: str, on_error: str, data: bytes) -> None:
    """Raise ToolError if the new text has other bytes in another possible encoding."""
    names = " or ".join((old.encoding, *old.alternatives))
    try:
        other_data = raw.encode(name, on_error)
    except UnicodeEncodeError as error:
        raise ToolError(_UNCERTAIN.format(letter=_format_letter(error), names=names)) from error
    if other_data != data:
        raise ToolError(_UNCERTAIN.format(letter="the new letters", names=names))


def _format_letter(error: UnicodeEncodeError) -> str:
    return f"U+{ord(error.object[error.start]):04X}"


def split_lines(text: str) -> list[str]:
    """Split a text into lines without their ends; only `\n` ends a line, a form feed does not."""
    return text.removesuffix("\n").split("\n") if text else []


def normalize_newlines(text: str) -> str:
    """Replace `\\r\\n` by `\\n`: models send both."""
    return text.replace("\r\n", "\n")


def as_read(old: DecodedText, text: str) -> str:
    """Give a text from the model the line endings of a decoded file, without byte-order mark."""
    sent = text.removeprefix("\ufeff") if old.bom else text
    if not old.text:
        return sent
    return (
        normalize_newlines(sent).replace("\r", "\n")
        if old.endings.usual == "\r"
        else normalize_newlines(sent)
    )


def to_printable(text: str) -> str:
    """Write undecodable bytes as `\\xff`."""
    return _STRAY.sub(lambda stray: f"\\x{ord(stray[0]) - 0xDC00:02x}", text)


def to_one_line(text: str) -> str:
    """Escape all that could end the line: control characters and separators."""
    return "".join(
        ascii(letter)[1:-1] if unicodedata.category(letter) in ("Cc", "Zl", "Zp") else letter
        for letter in to_printable(text)
    )


def _decode_body(data: bytes, encoding: str) -> str:
    try:
        text = data.decode(
            encoding, "strict" if encoding.startswith("utf-16") else "surrogateescape"
        )
    except UnicodeDecodeError as error:
        raise ToolError(f"the file is marked as {encoding} but is damaged") from error
    if encoding.startswith("utf-16") and "\0" in text:
        raise ToolError(BINARY)
    return text


def _on_error(old: DecodedText, text: str) -> str:
    # a stray byte that was read is written back as it was; a new one is an error
    made = _STRAY.search(text) and Counter(_STRAY.findall(text)) - Counter(_STRAY.findall(old.text))
    return "strict" if made else "surrogateescape"
