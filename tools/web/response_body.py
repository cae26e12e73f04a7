"""The body of a web answer: unpacked within bounds, and decoded by what the page says of itself."""

import codecs
import re
import zlib

from ..filesystem.text_codec import decode_text
from ..process.truncation import clean_text
from ..result import ToolError

# of a page, unpacked; what comes after is not read
MOST_BYTES = 5_000_000
# how many times its packed size a page may be; text is packed to a tenth
MOST_RATIO = 100
# bytes up to which no ratio is asked
FREE_OF_RATIO = 1_000_000

_TEXT = re.compile(
    r"text/.*|application/(.*[+/-])?(json|xml|javascript|ecmascript|yaml|toml|ndjson|markdown)"
    r"|application/(x-sh|sql|rtf|graphql)|[^/]*/[^/]*\+(json|xml|yaml)"
)
# Python's names of what pages are written in; some of its codecs are no alphabets at all
_CHARSETS = re.compile(
    r"utf[-_](8|16|32).*|ascii|iso8859[-_]\d+|cp\d+|koi8[-_][rut]|gb2312|gbk|gb18030|hz"
    r"|big5.*|euc_\w+|shift_\w+|iso2022_\w+|johab|tis[-_]620|mac[-_]\w+"
)
_IN_PAGE = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{2,40})""", re.IGNORECASE)


class ResponseBody:
    """Takes the pieces of an answer as they come; `data` is what it is, unpacked."""

    def __init__(self, encoding: str) -> None:
        """`encoding` as the header says; raises ToolError for one that was not asked for."""
        self.data = bytearray()
        self.cut = False
        """Whether the page is longer than what is kept of it."""
        self._packed = 0
        self._unpacker = _create_unpacker(encoding.strip().lower())

    def add_chunk(self, piece: bytes) -> bool:
        """Take the next piece; False when no more is wanted. Raises ToolError for a bomb."""
        room = MOST_BYTES - len(self.data)
        plain = self._unpack_chunk(piece, room + 1)
        self.cut = len(plain) > room
        self.data += plain[:room]
        if len(self.data) > max(FREE_OF_RATIO, MOST_RATIO * self._packed):
            raise ToolError(f"the page unpacks to over {MOST_RATIO} times its size; not read")
        return not self.cut

    def _unpack_chunk(self, piece: bytes, most: int) -> bytes:
        self._packed += len(piece)
        if self._unpacker is None:
            return piece
        try:
            plain = self._unpacker.decompress(piece, most)
        except zlib.error:
            raise ToolError("the page is packed in a way that cannot be read") from None
        self._packed -= len(self._unpacker.unconsumed_tail)
        return plain


def _create_unpacker(encoding: str):  # typeshed has no public name for what zlib makes
    if encoding in ("", "identity"):
        return None
    if encoding in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(47)  # either of both, whatever it is called
    raise ToolError(f"the page is packed as `{encoding[:40]}`, which was not asked for")


def classify_content(content_type: str) -> str:
    """`html` or `text`; raises ToolError for what is neither."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind in ("text/html", "application/xhtml+xml"):
        return "html"
    if not kind or _TEXT.fullmatch(kind):
        return "text"
    raise ToolError(f"the page is `{clean_text(kind.encode())[:80]}`; only text can be read")


def decode_body(data: bytes, content_type: str) -> str:
    """The body as text; raises ToolError for a binary one."""
    said = re.search(r"charset\s*=\s*[\"']?([\w.:-]{2,40})", content_type, re.IGNORECASE)
    inside = _IN_PAGE.search(data[:4096])
    names = [said[1]] if said else []
    names += [inside[1].decode()] if inside else []
    if data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        names = []  # a mark in the bytes themselves is never wrong
    for name in filter(None, map(_resolve_charset, names)):
        return data.decode(name, errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return decode_text(data).text


def _resolve_charset(label: str) -> str:
    """Python's name of an encoding; empty for what is none. Latin 1 means Windows' on the web."""
    try:
        name = codecs.lookup(label).name
    except LookupError:
        return ""
    if not _CHARSETS.fullmatch(name):
        return ""
    return "cp1252" if name in ("ascii", "iso8859-1") else name
