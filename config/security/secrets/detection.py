"""The one search for secrets: redaction, the scan before a push, cards and reports use it."""

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from .known_values import (
    MIN_SECRET_LENGTH,
    KnownSecrets,
    find_known_values,
    load_known_secrets,
)
from .rules import find_by_rules, holds_name_word

# Most characters before a line of the key
MAX_LEAD_LENGTH = 200
# Blank lines in a row that a key may have; a long line must follow them
MAX_BLANK = 2
LONG = 16
_COLOUR = r"(?:\x1b\[[\d;]{0,20}[mK])*+"
# A line end as written in JSON and many languages, addresses, XML, HTML and spreadsheets; a lone CR
_ESCAPED = (
    r"(?:\\{1,4}(?:[rn]|u000[aAdD]|x0[aAdD])|%(?:25)?0[aAdD]|&(?:amp;)?#(?:1[03]|x0?[aAdD]);"
    r"|<br ?/?>|_x000[AD]_|\^M|\r(?!\n))"
)
# `+`, `/` and `=` may be written as in addresses
_BASE64 = r"(?:[A-Za-z0-9+/]|%(?:25)?2[BbFf])++(?:=|%(?:25)?3[Dd]){0,2}+"
# Path and line number, as in search results
_PLACE = (
    rf"(?:[^\s:]{{1,{MAX_LEAD_LENGTH}}}:(?=\d))?+(?:[ \t]{{0,20}}\d{{1,9}}[ \t]{{0,8}}[:→|│\t-])?+"
)
_SIGN = r"(?:[ \t]*+(?:\+|-(?!----[^-])))?+"
_QUOTED = r"[ \t]*+(?:(?://|[#*>|│])[ \t]*+)*+[\"'`]?+"
_LEAD = f"{_COLOUR}{_PLACE}{_SIGN}{_COLOUR}{_QUOTED}{_COLOUR}"
_TAIL = rf"(?:[ \t\r\"'`,;+)|│$]|{_ESCAPED}|\\[rn\\]?|\x1b\[[\d;]{{0,20}}[mK])*+\Z"
_BLANKS = r"(?: |\+|%(?:25)?20)"
_LABEL = rf"(?:[A-Z0-9]|{_BLANKS}){{0,40}}PRIVATE{_BLANKS}KEY(?:{_BLANKS}BLOCK)?-----"
_END = f"-----END{_BLANKS}{_LABEL}"
_BEGINS = re.compile(f"-----BEGIN{_BLANKS}{_LABEL}")
_ON_ONE_LINE = re.compile(rf"(?:(?!-----)(?:[\w+/=\\ \t:,.%-]|{_ESCAPED}))*+{_END}", re.ASCII)
_LONG_LINE = rf"(?:[A-Za-z0-9+/]|%(?:25)?2[BbFf]){{{LONG},}}+(?:=|%(?:25)?3[Dd]){{0,2}}+"
_HEADER = (
    r"(?:Proc-Type|DEK-Info|Version|Comment|Charset|Hash)(?::|%(?:25)?3[Aa])"
    r"(?:[\w ,:/().+-]|%(?:25)?(?!0)[0-9A-Fa-f]{2}){1,80}+"
)
_REST_OF_LINE = re.compile(
    rf"(?:{_ESCAPED}++[+ -]?+(?:{_LONG_LINE}|{_HEADER}|{_BASE64}(?=[\\\"'`%&<\r]|$))"
    rf"|[ \t]*+{_LONG_LINE})*+",
    re.MULTILINE,
)
_NO_MORE = re.compile(_TAIL)
_BLANK = re.compile(rf"{_LEAD}{_TAIL}")
_KEY_LINE = re.compile(
    rf"{_LEAD}(?P<key>{_BASE64}(?:{_ESCAPED}++{_BASE64})*+"
    rf"|Proc-Type: \d,[A-Z-]{{1,40}}|DEK-Info: [\w-]{{1,40}},[0-9A-Fa-f]{{1,64}}"
    rf"|(?:Version|Comment|Charset|Hash): [\w .,:/()+-]{{1,80}}|=[A-Za-z0-9+/]{{4}}){_TAIL}",
    re.ASCII,
)
_END_LINE = re.compile(rf"{_LEAD}(?:{_BASE64}{_ESCAPED}++)*+[ \t]*+{_END}")
_PUTTY = re.compile(
    r"Private-Lines: \d{1,4}(?:[ \t]*\r?\n[ \t+>|-]{0,8}[A-Za-z0-9+/=]{1,80}(?![\w-]))+"
    r"(?:[ \t]*\r?\n[ \t+>|-]{0,8}Private-(?:MAC|Hash): [0-9a-f]{40,64})?"
)


class SecretMatch(NamedTuple):
    """A secret in a text, which `text[start:end]` is."""

    name: str
    """What it is, such as `GitHub token`, or the name of its variable."""
    start: int
    end: int


def find_secrets(text: str, known: KnownSecrets | None = None) -> list[SecretMatch]:
    """Return the secrets in a text, in order and without overlaps.

    `known` are the secrets with a known value, for who searches many texts at once.
    """
    if len(text) < MIN_SECRET_LENGTH:
        return []
    lowered = text.encode("ascii", "replace").lower()
    known = load_known_secrets() if known is None else known
    matches = [*find_known_values(text, known), *find_by_rules(text, lowered)]
    if holds_name_word(lowered):
        from .assignments import find_assigned  # compiles its expressions

        matches += find_assigned(text, lowered)
    if "-----BEGIN" in text or "Private-Lines: " in text:
        matches += [("private key", start, end) for start, end in find_private_keys(text)]
    return _join_overlaps(map(SecretMatch._make, matches)) if matches else []


def _join_overlaps(matches: Iterable[SecretMatch]) -> list[SecretMatch]:
    """Return the matches in order; those that overlap are one, with the name of the first."""
    joined = list[SecretMatch]()
    for match in sorted(matches, key=lambda match: match.start):
        if joined and match.start < joined[-1].end:
            joined[-1] = joined[-1]._replace(end=max(joined[-1].end, match.end))
        else:
            joined.append(match)
    return joined


def find_private_keys(text: str) -> Iterator[tuple[int, int]]:
    """Yield the start and end of every private key in the text."""
    at = 0
    while (at := text.find("Private-Lines: ", at) + 1) > 0:
        if putty := _PUTTY.match(text, at - 1):
            yield putty.span()
    at = 0
    while (at := text.find("-----BEGIN", at)) >= 0:
        begin = _BEGINS.match(text, at)
        end = _find_key_end(text, begin) if begin else at + 1
        if begin:
            yield at, end
        at = end


def _find_key_end(text: str, begin: re.Match[str]) -> int:
    """Return the end of the last line that clearly belongs to the key."""
    if closed := _ON_ONE_LINE.match(text, begin.end()):
        return closed.end()
    rest = _REST_OF_LINE.match(text, begin.end())
    end, blank = rest.end() if rest else begin.end(), 0
    line = _find_line_end(text, end)
    if not _NO_MORE.match(text, end, line):
        return end
    lead = _get_lead(text, begin.start())
    while line < len(text) and blank <= MAX_BLANK:
        start, line = line + 1, _find_line_end(text, line + 1)
        start += len(lead) if lead == _mask_digits(text[start : start + len(lead)]) else 0
        if closed := _END_LINE.match(text, start, line):
            return closed.end()
        key = _KEY_LINE.match(text, start, line)
        if key and (not blank or len(key["key"]) >= LONG):
            end, blank = key.end("key"), 0
        elif _BLANK.match(text, start, line):
            blank += 1
        else:
            break
    return end


def _find_line_end(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end


def _get_lead(text: str, at: int) -> str:
    """Return the prefix of the first line, as in a log; its numbers may increase."""
    start = max(text.rfind("\n", max(0, at - MAX_LEAD_LENGTH), at) + 1, at - MAX_LEAD_LENGTH, 0)
    return _mask_digits(text[start:at])


def _mask_digits(lead: str) -> str:
    return re.sub(r"\d", "0", lead)
