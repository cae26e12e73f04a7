"""Secrets that are assigned to a name: in settings, code, headers, options, addresses.

A word of a secret's name (`password`, `token`, …) is found first; what follows it must be an
assignment of any language, and its value neither code nor an example.
"""

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from .rules import NAME_WORDS

if TYPE_CHECKING:
    from .names import SecretKind

MAX_NAME, MAX_VALUE, MAX_LINE = 60, 400, 200
# Characters of a key that need not look random, since a whole line sets it
MIN_SETTING = 8
# Words before a name and a value with nothing between them
_SETTERS = (
    *("ENV ", "ARG ", "setx ", "setenv ", "set -x ", "set -gx ", "set -Ux "),
    *("config set ", "configure set "),
)
# Words before a name and a value in quotes
_QUOTED_SETTERS = (*_SETTERS, "define ")
_QUOTE = r"\\{0,3}[\"'`]"
_TYPE = (
    r"(?:&?(?:'\w{1,20}\ )?str|string|String|Optional\[str\]|str\ ?\|\ ?None"
    r"|(?:Final|ClassVar)\[\w{1,20}\])"
)
# What stands between a name and its value
_LINK = re.compile(
    rf"""(?P<rest>[\w.-]{{0,40}}+)(?:{_QUOTE})?(?:\ ?\]|\?)?[ \t]{{0,20}}
    (?: (?P<typed>:\ ?{_TYPE}\ {{0,3}}=(?!=))
      | (?P<assigned>:=|\?=|\+=|={{1,3}}>?|!=|:(?!:)|%3[Dd])
      | (?P<entry>[,\s]{{0,40}}(?:-\ )?(?:{_QUOTE})?[Vv]alue(?:{_QUOTE})?[ \t]{{0,5}}[:=])
      | (?P<called>\(|[,{{](?=[ \t]{{0,5}}{_QUOTE}))
      | (?P<element>>)
      | (?P<default>(?<=[\"'`]\ )\{{[^}}]{{0,200}}?\bdefault[ \t]{{0,10}}=)
      | (?P<spaced>(?<=[ \t]))
    )[ \t]{{0,40}}(?:[|>][+-]?[ \t]{{0,5}}\n[ \t]{{1,40}})?""",
    re.ASCII | re.VERBOSE,
)
_QUOTED = re.compile(
    rf"[rbuf@$]{{0,2}}(?P<quote>\\{{0,3}}(?:'''|\"\"\"|[\"'`]))"
    rf"(?P<value>(?:(?!(?P=quote))[^\n]){{1,{MAX_VALUE}}}?)(?P=quote)"
)
_BARE = re.compile(rf"(?P<value>[^\s\"'`<>]{{1,{MAX_VALUE}}})")
_SCHEME = re.compile(
    r"(?:basic|bearer|(?:api-?)?(?:token|key)|digest|geniekey|ssws|bot|oauth|splunk"
    r"|zoho-oauthtoken)[ \t]{1,4}",
    re.IGNORECASE,
)
_NAME_BEFORE = re.compile(r"[\w.:-]*", re.ASCII)
# What stands before the name in a line that only sets a variable; its value ends with the line
_SETTING = re.compile(
    r"(?:^|\n)[ \t+-]{0,8}(?:export |set |setx |ENV |ARG |\$env:)?[\"']?$|-e $|--env[ =]$"
)
_TEST = re.compile(r"(?:^|[_.-])(?:test|mock|fake|dummy|example|sample)(?:[_.-]|$)", re.IGNORECASE)
_END = re.compile(r"[&;,)}\]|]|\\+[nrt]|%26")


class Assignment(NamedTuple):
    """A value that is assigned to a name."""

    value: str
    start: int
    is_quoted: bool
    is_setting: bool
    """Whether it is a whole line such as `export NAME=value`."""


def find_assigned(text: str, lowered: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield the name, start and end of each secret that is assigned to a name."""
    for keyword in NAME_WORDS:
        hit = lowered.find(keyword)
        while hit >= 0:
            hit += len(keyword)
            link = _LINK.match(text, hit)
            if link and (found := _find_after(text, hit, link)):
                kind, assignment = found
                end = assignment.start + len(assignment.value)
                if _is_secret(kind, assignment):
                    yield kind.value, assignment.start, end
                hit = max(hit, end)
            hit = lowered.find(keyword, hit)


def find_named_kind(name: str, value: str) -> str:
    """Return what the value of a field with this name is, if it is a secret; empty: it is none."""
    from .names import find_kind  # compiles its expressions

    kind = find_kind(name)
    if not kind:
        return ""
    start = _skip_scheme(value, 0)
    field = Assignment(value[start:], start, is_quoted=True, is_setting=False)
    return kind.value if _is_secret(kind, field) else ""


def _find_after(text: str, hit: int, link: re.Match[str]) -> tuple["SecretKind", Assignment] | None:
    """Return what is assigned to the name around `hit`, if it is the name of a secret."""
    from .names import find_kind

    before = _NAME_BEFORE.match(text[max(0, hit - MAX_NAME) : hit][::-1])
    start = hit - len(before[0] if before else "")
    name = text[start:hit] + link["rest"]
    kind = find_kind(name)
    assignment = _read_assignment(text, start, name, link) if kind else None
    return (kind, assignment) if kind and assignment else None


def _read_assignment(text: str, start: int, name: str, link: re.Match[str]) -> Assignment | None:
    lead = text[start - 20 : start] if start > 20 else f"\n{text[:start]}"
    at = link.end()
    is_setting = link["assigned"] == "=" and " " not in link[0] and bool(_SETTING.search(lead))
    quoted = _QUOTED.match(text, at)
    if quoted and _may_be_quoted(text, start, name, link, quoted):
        at = _skip_scheme(text, quoted.start("value"))
        is_setting = is_setting and text[quoted.end() : quoted.end() + 1] in ("", "\n", "\r")
        return Assignment(text[at : quoted.end("value")], at, True, is_setting)
    at = _skip_scheme(text, at)
    bare = None if quoted else _BARE.match(text, at)
    if not bare or not _may_be_bare(text, start, name, link, bare.end()):
        return None
    value = bare[0].rstrip(";,") if is_setting else _END.split(bare[0], maxsplit=1)[0]
    return Assignment(value, at, False, is_setting)


def _skip_scheme(text: str, at: int) -> int:
    """Return where the secret begins in `Bearer SECRET`."""
    scheme = _SCHEME.match(text, at)
    return scheme.end() if scheme else at


def _may_be_quoted(
    text: str, start: int, name: str, link: re.Match[str], quoted: re.Match[str]
) -> bool:
    """Return whether this kind of assignment can have a value in quotes."""
    match link["called"] or link.lastgroup:
        case "spaced":  # an option; SQL's `PASSWORD 'x'`
            return (
                name[0] == "-" or quoted["quote"] == "'" or _has_word(text, start, _QUOTED_SETTERS)
            )
        case ",":  # PHP's `define('NAME', 'x')`
            return text[max(0, start - 2) : start] in ("('", '("')
        case _:
            return not (link["called"] or link["assigned"]) or not _TEST.search(name)


def _may_be_bare(text: str, start: int, name: str, link: re.Match[str], end: int) -> bool:
    """Return whether this kind of assignment can have a value without quotes."""
    match link.lastgroup:
        case "assigned" | "entry":
            return True
        case "element":
            return text[start - 1 : start] == "<" and text[end : end + 2] == "</"
        case "spaced":
            if name[0] == "-":
                return True
            words = ("login ", "machine ") if name == "password" else _SETTERS
            return _has_word(text, start, words)
        case _:
            return False


def _has_word(text: str, start: int, words: Sequence[str]) -> bool:
    """Return whether one of the words stands before the name in its line."""
    line = text[max(0, start - MAX_LINE) : start].rpartition("\n")[2]
    return any(word in line for word in words)


def _is_secret(kind: "SecretKind", assignment: Assignment) -> bool:
    from . import plausibility as plausible  # compiles its expressions: few texts come here
    from .names import SecretKind

    value, is_quoted = assignment.value, assignment.is_quoted
    if kind is SecretKind.LOGIN:
        return plausible.is_login_in_base64(value)
    if login := plausible.decode_login(value):
        return plausible.is_address_login(login)
    if not plausible.is_web_token(value):
        return False
    if kind is SecretKind.PASSWORD or (assignment.is_setting and len(value) >= MIN_SETTING):
        return plausible.is_password(value, is_quoted=is_quoted, is_setting=assignment.is_setting)
    return plausible.is_key(value, is_quoted=is_quoted) or (
        kind is SecretKind.HEADER and plausible.is_login_in_base64(value)
    )
