"""Arguments inside of a call's tag (pure).

The values are raw text and may hold the very tags that surround them. A value ends at the last
closing tag that leaves a readable rest, unless every value can be read with its tags in pairs.
"""

import re

from .argument_types import convert_values, is_list, trim_line_breaks
from .known_tools import KnownTool

# Closing tags that are tried from each end; a file full of them must not take seconds
MAX_ENDS = 20
_OPENING = re.compile(r"<([A-Za-z_][\w-]*)>")
_BLANK = re.compile(r"\s*")

Tags = tuple[tuple[str, str], ...]


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
        if len(ends) > 2 * MAX_ENDS:
            ends = [*ends[:MAX_ENDS], *ends[-MAX_ENDS:]]
        return ends if repeatable else ends[::-1]
