"""Body of a web response: what kind it is, and its text."""

import codecs
import re

from ..filesystem.text_codec import decode_text
from ..process.truncation import clean_text
from ..result import ToolError

# most bytes of a page, decompressed; the rest is not read
MAX_BYTES = 5_000_000

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
