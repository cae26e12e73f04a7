"""Quote removal and expansions of one word."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from .syntax_tree import ParseError

if TYPE_CHECKING:
    from tree_sitter import Node

_EXPANSIONS = frozenset(
    ["expansion", "command_substitution", "process_substitution", "arithmetic_expansion"]
)
_ANSI = re.compile(
    r"\\(?:([0-7]{1,3})|x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{1,4})|U([0-9a-fA-F]{1,8})|c(.)|(.))",
    re.DOTALL,
)
_ANSI_LETTERS = {
    **{"a": "\a", "b": "\b", "e": "\x1b", "E": "\x1b", "f": "\f", "n": "\n", "r": "\r"},
    **{"t": "\t", "v": "\v"},
}
# The content of `$'…'`: a quote after a backslash does not end it
_ANSI_TEXT = r"(?:\\.|[^'\\])*"
_ANSI_STRING = re.compile(rf"\$'{_ANSI_TEXT}'", re.DOTALL)
_OUTSIDE = re.compile(
    rf"""\\\n|\\(?P<escaped>.)|'(?P<single>[^']*)'|\$'(?P<ansi>{_ANSI_TEXT})'|(?P<open>\$?")"""
    r"""|\$(?P<variable>[A-Za-z_]\w*|[0-9@*#?$!-])|(?P<plain>[^\\'"$`]+|\$|\\)""",
    re.DOTALL,
)
_INSIDE = re.compile(
    r"""\\\n|\\(?P<escaped>[$`"\\])|(?P<close>")|\$(?P<variable>[A-Za-z_]\w*|[0-9@*#?$!-])"""
    r"""|(?P<plain>[^\\"$`]+|\$|\\)""",
    re.DOTALL,
)
_SPECIAL = re.compile(r"[\\*?\[\]{},.~!^-]")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
# Where a tilde in a masked word is a folder: bash reads `of=~/x` as an assignment
HOME_SIGN = re.compile(r"((?:[A-Za-z_]\w*\+?=(?:.*:)?)?)~([^/:]*)", re.DOTALL)
# Where a dollar sign begins an expansion, outside and inside double quotes
_NO_BARE_DOLLAR = (re.compile(r"\$[{(\[']|`"), re.compile(r"\$[{(\[]|`"))


@dataclass(frozen=True)
class WordPart:
    """A part of a word: text, or an expansion whose value is not in the text."""

    text: str
    quoted: bool
    expansion: "Node | None" = None
    variable: str = ""
    """Name of a plain variable, such as `$HOME`."""


def parse_word(nodes: "Sequence[Node]") -> list[WordPart]:
    """Parse the parts of the word that these touching nodes cover; raises ParseError."""
    start = nodes[0].start_byte
    raw = b"".join(node.text or b"" for node in nodes)
    written = raw.decode()
    return _split_parts(written, dict(_find_expansions(nodes, raw, start)))


def to_literal(parts: Sequence[WordPart]) -> str | None:
    """Return the program's argument if no expansion, pattern or brace can change it; else None."""
    word = mask_parts(parts)
    unknown = any(part.expansion or part.variable for part in parts)
    if unknown or HOME_SIGN.match(word) or is_pattern(word) or has_braces(word):
        return None
    return "".join(part.text for part in parts)


def is_ansi_string(written: str) -> bool:
    """Return whether bash reads it as one `$'…'`, which ends at the first unescaped quote."""
    return _ANSI_STRING.fullmatch(written) is not None


def mask_parts(parts: Sequence[WordPart]) -> str:
    """Return the word with a backslash before each special character that is quoted."""
    return "".join(
        _SPECIAL.sub(r"\\\g<0>", part.text) if part.quoted else part.text.replace("\\", "\\\\")
        for part in parts
    )


def is_pattern(word: str) -> bool:
    """Return whether a masked word contains a file name pattern."""
    signs = _ESCAPED.sub("", word)
    return "*" in signs or "?" in signs or "]" in signs.partition("[")[2]


def has_braces(word: str) -> bool:
    """Return whether a masked word contains braces that may expand."""
    inside = _ESCAPED.sub("", word).partition("{")[2]
    return "}" in inside and ("," in inside or ".." in inside)


def strip_mask(word: str) -> str:
    """Return the unmasked word, as the program gets it."""
    return _ESCAPED.sub(r"\1", word)


def _find_expansions(nodes: "Sequence[Node]", raw: bytes, start: int):  # noqa: ANN202
    """Return the outermost expansions by their offset in the decoded word: end and node."""
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node.type not in _EXPANSIONS:
            waiting.extend(node.children)
            continue
        begin = len(raw[: node.start_byte - start].decode())
        yield begin, (begin + len((node.text or b"").decode()), node)


def _split_parts(written: str, expansions: "Mapping[int, tuple[int, Node]]") -> list[WordPart]:
    parts, at, quoted = list[WordPart](), 0, False
    while at < len(written):
        if at in expansions:
            end, node = expansions[at]
            parts.append(WordPart(written[at:end], quoted, node))
            at = end
            continue
        match = (_INSIDE if quoted else _OUTSIDE).match(written, at)
        if not match or (match["plain"] == "$" and _NO_BARE_DOLLAR[quoted].match(written, at)):
            raise ParseError("a quote or `$` has an unusual meaning")
        end = _find_part_end(match, expansions)
        parts.extend(_build_parts(match, end, quoted))
        quoted = match["close"] is None if quoted else match["open"] is not None
        at = end
    if quoted:
        raise ParseError("a quote is not closed")
    return parts


def _find_part_end(match: re.Match[str], expansions: "Mapping[int, tuple[int, Node]]") -> int:
    """Return the end of a match, or the start of an expansion in it, such as `<(`."""
    if match["plain"] is None:
        return match.end()
    inside = [place for place in expansions if match.start() < place < match.end()]
    return min(inside, default=match.end())


def _build_parts(match: re.Match[str], end: int, quoted: bool) -> list[WordPart]:
    kind = match.lastgroup
    if kind == "variable":
        return [WordPart(match[0], quoted, variable=match[kind])]
    if kind == "ansi":
        return [WordPart(_decode_ansi(match["ansi"]), True)]
    if kind == "plain":
        return [WordPart(match.string[match.start() : end], quoted)]
    if kind in ("escaped", "single"):
        return [WordPart(match[kind], True)]
    return [WordPart("", True)] if kind == "open" else []


def _decode_ansi(escaped: str) -> str:
    def decode_escape(match: re.Match[str]) -> str:
        octal, byte, short, long, control, other = match.groups()
        if control:
            return chr(ord(control) & 0x1F)
        if other:
            return _ANSI_LETTERS.get(other, other if other in "\\'\"?" else "\\" + other)
        number = int(octal, 8) & 0xFF if octal else int(byte or short or long, 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "?"

    return _ANSI.sub(decode_escape, escaped).split("\0", 1)[0]
