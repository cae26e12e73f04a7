"""Placeholder lines for omitted code, such as `// ... existing code ...`."""

import re
from collections.abc import Sequence

_OPENS = re.compile(
    r"""//+|\#+|/\*+|\*+(?=\s)|<!--|--+(?!-)|;+|%+|\{/\*+|["']{3}|REM\b""",
)
_CLOSES = ("*/}", "*/", "-->", '"""', "'''")
_DOTS = re.compile(r"\.{3,}|…")
_PROSE = re.compile(r"[\w\s,'’()-]*")


def _split_words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_LEFT_OUT = _split_words(
    "rest remainder remaining existing unchanged omitted unmodified previous same other others "
    "original elided truncated snip snipped skipped before continues continued hidden"
)
_BEGINS = _split_words("rest remainder remaining existing unchanged previous other same")
_CODE = _split_words("code implementation function method class file body logic content contents")
_SAYS = _split_words("unchanged omitted unmodified same before here brevity elided untouched")
_WHAT = _split_words(
    "code file function functions method methods class classes implementation line lines import "
    "imports content contents body logic block module script definition definitions field fields "
    "properties tests cases items entries rows options section component template document text "
    "handlers statements parameters arguments it"
)
_VERBS = _split_words(
    "is are remain remains stay stays goes left kept as for there below above now"
)
_FILLERS = _split_words("the a an of this your my our all keep and")
MAX_WORDS = 12


def find_elisions(lines: Sequence[str]) -> list[str]:
    """Find the lines that only mark omitted code."""
    return [line for line in lines if is_elision(line)]


def is_elision(line: str) -> bool:
    """Return whether a line only marks omitted code: `// ... existing code ...`; `...` is code."""
    line = " ".join(line.split())
    text = _without_comment_signs(line)
    before, prose, after = _split_at_dots(text)
    if not _PROSE.fullmatch(prose):
        return False
    words = [word for word in re.findall(r"[a-z]+", prose.lower()) if word not in _FILLERS]
    commented = text != line
    if not words:
        return commented and not prose and ("..." in text or "…" in text)
    return len(words) <= MAX_WORDS and (
        not _LEFT_OUT.isdisjoint(words)
        if before and after
        else _is_remark(words, before or after, commented)
    )


def _without_comment_signs(line: str) -> str:
    """Strip the comment signs of a line."""
    opens = _OPENS.match(line)
    text = line[opens.end() :] if opens else line
    closes = next((sign for sign in _CLOSES if text.endswith(sign)), "")
    text = text.removesuffix(closes)
    return (text.rstrip("*") if closes.startswith("*") else text).strip()


# not by one pattern: several runs of the same characters in a row take the cube of their length
def _split_at_dots(text: str) -> tuple[bool, str, bool]:
    """Split into: whether dots stand before the words, the words, whether dots stand behind."""
    text = text.lstrip(" ([<{")
    dots = _DOTS.match(text)
    text = text[dots.end() :].lstrip(" :,") if dots else text.lstrip(" :,")
    prose = text.rstrip(" .)]>}")
    if prose.endswith("…"):
        return bool(dots), prose[:-1].rstrip(" :,"), True
    prose = prose.rstrip(" :,")
    return bool(dots), prose, text[len(prose) :].lstrip(" :,").startswith("...")


def _is_remark(words: Sequence[str], dots: bool, commented: bool) -> bool:
    """Return whether words with dots on one side, or in a comment, mark omitted code."""
    # `...rest` alone is code
    if words[0] not in _BEGINS or not commented and (not dots or len(words) < 2):
        return False
    if dots:
        return len(words) == 1 or bool((_WHAT | _SAYS) & set(words[1:3]))
    if len(words) == 2 and words[1] in _CODE:
        return True
    has_only_remark_words = all(word in _LEFT_OUT | _WHAT | _SAYS | _VERBS for word in words)
    return has_only_remark_words and bool((_SAYS | {"unchanged"}) & set(words[1:]))
