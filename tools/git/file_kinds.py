"""What a content is, in words, for a question that cannot show it."""

from .content_secrets import decode_wide, is_text

# First bytes of kinds of files
_KINDS: tuple[tuple[bytes, str], ...] = (
    (b"\x89PNG\r\n\x1a\n", "PNG image"),
    (b"\xff\xd8\xff", "JPEG image"),
    (b"GIF8", "GIF image"),
    (b"RIFF", "RIFF media"),
    (b"\0\0\1\0", "icon"),
    (b"%PDF", "PDF"),
    (b"\x7fELF", "program (ELF)"),
    (b"MZ", "program (Windows)"),
    (b"\xcf\xfa\xed\xfe", "program (macOS)"),
    (b"\0asm", "WebAssembly"),
    (b"SQLite format 3", "SQLite database"),
    (b"wOF", "font"),
    (b"\0\1\0\0", "font"),
    (b"OTTO", "font"),
    (b"PK\3\4", "zip archive"),
    (b"\x1f\x8b", "gzip archive"),
    (b"BZh", "bzip2 archive"),
    (b"\xfd7zXZ\0", "xz archive"),
    (b"\x28\xb5\x2f\xfd", "zstd archive"),
    (b"7z\xbc\xaf\x27\x1c", "7z archive"),
    (b"Rar!", "rar archive"),
)
# Characters that no text has, of each so many
_STRANGE_SHARE = 20
_BLANKS = "\n\r\t\f\x1b"


def name_kind(content: bytes) -> str:
    """Return what a content is, such as `PNG image`; `text` for what can be shown as it is."""
    known = next((kind for start, kind in _KINDS if content.startswith(start)), "")
    if is_text(content) and not _has_strange_bytes(content):
        return "text"
    if known:
        return known
    return "UTF-16 text" if decode_wide(content) is not None else "binary"


def _has_strange_bytes(content: bytes) -> bool:
    decoded = content.decode("utf-8", "replace")
    strange = sum(
        letter == "\ufffd" or (letter < " " and letter not in _BLANKS) for letter in decoded
    )
    return strange * _STRANGE_SHARE > len(decoded)
