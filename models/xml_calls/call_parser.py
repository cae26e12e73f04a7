"""Parser of a whole text with calls in it (pure).

A call is a known tool's name as a tag at a line's start, outside of code fences, with a tag for
each argument inside, and closed.
"""

import re
from dataclasses import dataclass, field

from .argument_types import convert_values, is_list, trim_line_breaks
from .known_tools import KnownTool, KnownTools

# At most three blanks before it: four are code in Markdown
OPENING = re.compile(r" {0,3}<([A-Za-z][\w-]{0,63})[ \t]*(/?)>")
# Closing tags of the call that are tried
MAX_ENDS = 40
_LINE_OPENING = re.compile(OPENING.pattern, re.MULTILINE)
_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})(.*)")
UNCLOSED = (
    "`<{name}>` is not closed, so nothing was run; write the whole call again, with `</{name}>` at"
    " its end"
)
MALFORMED = (
    "the call cannot be read, so nothing was run; inside of `<{name}>` write each argument as a"
    " tag, such as `<{argument}>value</{argument}>`, and nothing else"
)
# Closing tags that are tried from each end; a file full of them must not take seconds
MAX_ARGUMENT_ENDS = 20
_OPENING = re.compile(r"<([A-Za-z_][\w-]*)>")
_BLANK = re.compile(r"\s*")
Tags = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class TextCall:
    """One call found in a text."""

    name: str
    """As the model wrote it; it may be an alias."""
    args: dict[str, object] = field(default_factory=dict[str, object])
    error: str = ""
    """Why the call is broken; empty: it is complete."""
    raw: str = ""
    """A broken call as it was written."""


@dataclass(frozen=True)
class ParsedText:
    """The text without its calls, and the calls in order."""

    text: str
    calls: tuple[TextCall, ...] = ()


class FenceTracker:
    """Follows the code fences of a Markdown text, line by line."""

    def __init__(self) -> None:
        self._fence = ""

    @property
    def is_open(self) -> bool:
        """Return whether the next line is code."""
        return bool(self._fence)

    def add_line(self, line: str) -> None:
        """Read one complete line."""
        match = _FENCE.match(line)
        if match is None:
            return
        mark, rest = match[1], match[2].strip()
        if not self._fence:
            # a backtick after the mark makes it inline code
            self._fence = "" if mark[0] == "`" and "`" in rest else mark
        elif mark.startswith(self._fence) and not rest:
            self._fence = ""


def parse_calls(text: str, tools: KnownTools) -> ParsedText:
    """Return the calls and the text around them."""
    fences, position = FenceTracker(), 0
    lines, calls = list[str](), list[TextCall]()
    while position < len(text):
        opening = None if fences.is_open else OPENING.match(text, position)
        parsed_call = opening and _parse_call(text, opening, tools)
        if parsed_call:
            call, position = parsed_call
            calls.append(call)
            position = _skip_blank(text, position)
            continue
        end = text.find("\n", position) + 1 or len(text)
        line = text[position:end]
        fences.add_line(line)
        lines.append(line)
        position = end
    return ParsedText("".join(lines), tuple(calls))


def _parse_call(
    text: str, opening: re.Match[str], tools: KnownTools
) -> tuple[TextCall, int] | None:
    """Return the call and where it ends; None if it is only text."""
    name, tool = opening[1], tools.find(opening[1])
    if tool is None:
        return None
    if opening[2]:
        is_call = tools.is_canonical(name) and not tool.required
        return (TextCall(name), opening.end()) if is_call else None
    ends = _list_ends(text, name, opening.end())
    for paired in (True, False):
        for number, end in enumerate(ends):
            body = text[opening.end() : end]
            if paired and not has_pairs(body, name):
                continue
            if parse_body(body, tool, paired=paired) is None:
                continue
            end = _find_last_end(text, opening.end(), ends[number:], tool, tools)
            args = _parse_arguments(text[opening.end() : end], tool)
            if not _is_meant(name, args, tool, tools):
                return None
            return TextCall(name, args), end + len(name) + 3
    return _find_broken_call(text, opening, tool, tools, is_closed=bool(ends))


def _parse_arguments(body: str, tool: KnownTool) -> dict[str, object]:
    args = parse_body(body, tool, paired=True)
    return args if args is not None else parse_body(body, tool, paired=False) or {}


def _find_last_end(
    text: str, start: int, ends: list[int], tool: KnownTool, tools: KnownTools
) -> int:
    """Return the last end before the next call: a value may hold the call's own closing tag."""
    last = ends[0]
    for end in ends[1:]:
        if _has_call_tag(text[last:end].partition(">")[2], tools):
            break
        if parse_body(text[start:end], tool, paired=False) is not None:
            last = end
    return last


def _has_call_tag(text: str, tools: KnownTools) -> bool:
    beginning = OPENING.match(text, _skip_blank(text, 0))
    matches = [*_LINE_OPENING.finditer(text), *([beginning] if beginning else [])]
    return any(tools.find(match[1]) for match in matches)


def _is_meant(name: str, args: dict[str, object], tool: KnownTool, tools: KnownTools) -> bool:
    """Return whether the tag is a call: an alias such as `list` may be an ordinary element."""
    return tools.is_canonical(name) or any(tool.find_schema(each) is not None for each in args)


def _find_broken_call(
    text: str, opening: re.Match[str], tool: KnownTool, tools: KnownTools, *, is_closed: bool
) -> tuple[TextCall, int] | None:
    """Return the rest of the text as a broken call if it looks like one.

    All of the rest: what looks like a second call may be a part of an unclosed value.
    """
    name, rest = opening[1], text[opening.end() :].lstrip()
    argument = re.match(r"<([A-Za-z_][\w-]*)>", rest)
    is_known = argument is not None and tool.find_schema(argument[1]) is not None
    begins = not rest or rest.startswith("<") or is_closed
    if not (is_known or (tools.is_canonical(name) and begins)):
        return None
    example = next(iter(tool.arguments), "argument")
    error = (MALFORMED if is_closed else UNCLOSED).format(name=name, argument=example)
    return TextCall(name, error=error, raw=text[opening.start() :]), len(text)


def _list_ends(text: str, name: str, start: int) -> list[int]:
    closing = re.compile(rf"</{re.escape(name)}>")
    return [match.start() for match in closing.finditer(text, start)][:MAX_ENDS]


def _skip_blank(text: str, position: int) -> int:
    while position < len(text) and text[position].isspace():
        position += 1
    return position


def parse_body(body: str, tool: KnownTool, *, paired: bool) -> dict[str, object] | None:
    """Return the arguments; None if the text is not a sequence of arguments.

    `paired`: each value must have as many opening as closing tags of its own argument.
    """
    try:
        tags = _BodyParser(body, tool, paired).parse_tags(0, frozenset())
    except RecursionError:  # thousands of repeated tags
        return None
    if tags is None:
        return None
    values: dict[str, list[str]] = {}
    for name, value in tags:
        values.setdefault(name, []).append(trim_line_breaks(value))
    return {name: convert_values(each, tool.find_schema(name)) for name, each in values.items()}


def has_pairs(text: str, name: str) -> bool:
    """Return whether each opening tag of that name has its closing tag after it."""
    depth = 0
    for tag in re.finditer(rf"<(/?){re.escape(name)}>", text):
        depth += -1 if tag[1] else 1
        if depth < 0:
            return False
    return depth == 0


class _BodyParser:
    def __init__(self, body: str, tool: KnownTool, paired: bool) -> None:
        self._body = body
        self._tool = tool
        self._paired = paired
        self._failed: set[tuple[int, frozenset[str]]] = set()

    def parse_tags(self, start: int, used: frozenset[str]) -> Tags | None:
        """Return the tags from here to the end; None if the text cannot be read."""
        blank = _BLANK.match(self._body, start)
        start = blank.end() if blank else start
        if start == len(self._body):
            return ()
        if (start, used) in self._failed:
            return None
        tags = self._parse_next_tag(start, used)
        if tags is None:
            self._failed.add((start, used))
        return tags

    def _parse_next_tag(self, start: int, used: frozenset[str]) -> Tags | None:
        opening = _OPENING.match(self._body, start)
        if opening is None:
            return None
        name = opening[1]
        repeatable = is_list(self._tool.find_schema(name))
        if name in used and not repeatable:
            return None
        for end in self._list_ends(name, opening.end(), repeatable):
            value = self._body[opening.end() : end]
            if self._paired and not has_pairs(value, name):
                continue
            rest = self.parse_tags(end + len(name) + 3, used | {name})
            if rest is not None:
                return ((name, value), *rest)
        return None

    def _list_ends(self, name: str, start: int, repeatable: bool) -> list[int]:
        """Return where the value may end: the last place first, for a repeated tag the first."""
        closing = re.compile(rf"</{re.escape(name)}>")
        ends = [match.start() for match in closing.finditer(self._body, start)]
        if len(ends) > 2 * MAX_ARGUMENT_ENDS:
            ends = [*ends[:MAX_ARGUMENT_ENDS], *ends[-MAX_ARGUMENT_ENDS:]]
        return ends if repeatable else ends[::-1]
