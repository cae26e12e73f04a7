"""Parser of a streamed text with calls in it (pure).

Text is passed on line by line as it arrives, never half a tag. What follows the first call's
opening tag is kept until the end of the answer: only there it is certain where a value ends.
"""

import re

from .call_parser import OPENING, FenceTracker, ParsedText, parse_calls
from .known_tools import KnownTools

_PARTIAL = re.compile(r" {0,3}(?:<(?P<name>[A-Za-z][\w-]{0,63})?[ \t]*/?)?")


class CallStreamParser:
    """Accepts one answer's text in any portions."""

    def __init__(self, tools: KnownTools) -> None:
        self._tools = tools
        self._fences = FenceTracker()
        self._pending = ""
        self._line = ""
        """What was passed on of the current line."""
        self._is_holding = False

    def feed(self, portion: str) -> str:
        """Return the text that can be shown after this portion."""
        self._pending += portion
        pieces = list[str]()
        while self._pending and not self._is_holding:
            if not self._line and not self._is_text():
                break
            line, newline, self._pending = self._pending.partition("\n")
            self._line += line
            pieces.append(line + newline)
            if newline:
                self._fences.add_line(self._line)
                self._line = ""
        return "".join(pieces)

    def close(self) -> ParsedText:
        """Return the rest of the text and the calls, at the end of the answer."""
        rest, self._pending = self._pending, ""
        return parse_calls(rest, self._tools) if self._is_holding else ParsedText(rest)

    def _is_text(self) -> bool:
        """Return whether the line that begins here is text; holds the rest at a known tool."""
        if self._fences.is_open:
            return True
        opening = OPENING.match(self._pending)
        if opening:
            self._is_holding = self._tools.find(opening[1]) is not None
            return not self._is_holding
        partial = _PARTIAL.fullmatch(self._pending)
        return partial is None or not self._tools.has_prefix(partial["name"] or "")
