"""Body of a web response: decompressed within limits, and decoded."""

import codecs
import re
import zlib

from ..filesystem.text_codec import decode_text
from ..process.truncation import clean_text
from ..result import ToolError

# most bytes of a page, decompressed; the rest is not read
MAX_BYTES = 5_000_000
# most decompressed bytes per compressed byte; text compresses to about a tenth
MAX_RATIO = 100
# bytes up to which the ratio is not checked
FREE_OF_RATIO = 1_000_000

_TEXT = re.compile(
    r"text/.*|application/(.*[+/-])?(json|xml|javascript|ecmascript|yaml|toml|ndjson|markdown)"
    r"|application/(x-sh|sql|rtf|graphql)|[^/]*/[^/]*\+(json|xml|yaml)"
)
# Python's names of the encodings of pages; some of its codecs are not character encodings
_CHARSETS = re.compile(
    r"utf[-_](8|16|32).*|ascii|iso8859[-_]\d+|cp\d+|koi8[-_][rut]|gb2312|gbk|gb18030|hz"
    r"|big5.*|euc_\w+|shift_\w+|iso2022_\w+|johab|tis[-_]620|mac[-_]\w+"
)
_IN_PAGE = re.compile(rb"""<meta[^>]{0,200}charset\s*=\s*["']?([\w-]{2,40})""", re.IGNORECASE)


class ResponseBody:
    """The body of a response, which grows by chunks; `data` is decompressed."""

    def __init__(self, encoding: str) -> None:
        """`encoding` is the header's; raises ToolError for an unknown one."""
        self.data = bytearray()
        self.cut = False
        """Whether the page is longer than what is kept of it."""
        self._packed = 0
        self._unpacker = _create_unpacker(encoding.strip().lower())

    def add_chunk(self, piece: bytes) -> bool:
        """Add a chunk; return False if the body is full. Raises ToolError for a zip bomb."""
        room = MAX_BYTES - len(self.data)
        plain = self._unpack_chunk(piece, room + 1)
        self.cut = len(plain) > room
        self.data += plain[:room]
        if len(self.data) > max(FREE_OF_RATIO, MAX_RATIO * self._packed):
            raise ToolError(
                f"the page decompresses to over {MAX_RATIO} times its size; it was not read"
            )
        return not self.cut

    def _unpack_chunk(self, piece: bytes, most: int) -> bytes:
        self._packed += len(piece)
        if self._unpacker is None:
            return piece
        try:
            plain = self._unpacker.decompress(piece, most)
        except zlib.error:
            raise ToolError("the page is compressed in a way that cannot be read") from None
        self._packed -= len(self._unpacker.unconsumed_tail)
        return plain


def _create_unpacker(encoding: str):  # typeshed has no public type for it
    if encoding in ("", "identity"):
        return None
    if encoding in ("gzip", "x-gzip", "deflate"):
        return zlib.decompressobj(47)  # detects which of the two it is; servers confuse them
    raise ToolError(f"the page is compressed as `{encoding[:40]}`, which was not requested")


def classify_content(content_type: str) -> str:
    """Return `html` or `text`; raise ToolError for anything else."""
    kind = content_type.partition(";")[0].strip().lower()
    if kind in ("text/html", "application/xhtml+xml"):
        return "html"
    if not kind or _TEXT.fullmatch(kind):
        return "text"
    raise ToolError(f"the page is `{clean_text(kind.encode())[:80]}`; only text can be read")


def decode_body(data: bytes, content_type: str) -> str:
    """Decode the body; raise ToolError for a binary one."""
    declared = re.search(r"charset\s*=\s*[\"']?([\w.:-]{2,40})", content_type, re.IGNORECASE)
    inside = _IN_PAGE.search(data[:4096])
    names = [declared[1]] if declared else []
    names += [inside[1].decode()] if inside else []
    if data.startswith((codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        names = []  # a byte-order mark is never wrong
    for name in filter(None, map(_resolve_charset, names)):
        return data.decode(name, errors="replace").replace("\r\n", "\n").replace("\r", "\n")
    return decode_text(data).text


def _resolve_charset(label: str) -> str:
    """Find Python's name of an encoding; empty for an unknown one."""
    # on the web Latin 1 means Windows' code page
    try:
        name = codecs.lookup(label).name
    except LookupError:
        return ""
    if not _CHARSETS.fullmatch(name):
        return ""
    return "cp1252" if name in ("ascii", "iso8859-1") else name
