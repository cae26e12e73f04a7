"""Calls that a model with native calling has written into its text instead (pure).

They count only at the end of an answer, after nothing that quotes them: an answer may show calls.
"""

import re
from collections.abc import Iterator
from typing import Any, cast

from langchain_core.messages import AIMessage
from langchain_core.messages.tool import tool_call

from ..invoke import is_cut
from ..replay import without_output_parts
from ..tool_arguments import clean_value
from .call_parser import OPENING, ParsedText, TextCall, parse_calls
from .known_tools import KnownTools
from .maker_calls import AROUND, PYTHON_CALLS, match_maker_calls

# How a call in some markup begins
MARKUP = re.compile(
    r"<(?:\w+:)?(?:(?:longcat_)?tool_calls?|function_calls?|TOOLCALL)>"
    r"|<function=|<(?:\w+:|｜DSML｜)?invoke name="
    r"|<\|start\|>assistant(?=<\|channel\|>commentary)"
    r"|<\|(?:tool_call|tool_calls_section|python_tag|python_start|channel\|>commentary)"
    r"|<\|START_ACTION\|>|<\|action_start\|>"
    r"|<｜tool▁call|<｜DSML｜|\[TOOL_CALLS\]|\bfunctools(?=\[\s*\{)"
)
# Most places of an answer where calls are looked for
_MAX_PLACES = 200
_QUOTING = (
    *("pre", "code", "samp", "kbd", "xmp", "textarea", "script"),
    *("example", "examples", "blockquote", "details", "template"),
)
_MARKS = (("<!--", "-->"), ("<![CDATA[", "]]>"))
_QUOTE = re.compile(rf"<(/?)({'|'.join(_QUOTING)})\b[^>\n]*>", re.IGNORECASE)


def take_leaked_calls(answer: AIMessage, tools: KnownTools) -> AIMessage:
    """Return the answer with the calls of its text as calls, if it has no other call."""
    text = str(answer.text)
    has_calls = answer.tool_calls or answer.invalid_tool_calls
    if has_calls or not may_have_calls(text) or is_cut(answer):
        return answer
    parsed = parse_leaked_calls(text, tools)
    if not parsed.calls:
        return answer
    calls = [
        tool_call(name=call.name, args=cast("dict[str, Any]", clean_value(call.args)), id=None)
        for call in parsed.calls
    ]
    # a provider's own form of the answer has no calls, so their results would belong to nothing
    marks = without_output_parts(answer.additional_kwargs)
    return answer.model_copy(
        update={
            "content": parsed.text.strip(),
            "tool_calls": calls,
            "additional_kwargs": marks,
        }
    )


def parse_leaked_calls(text: str, tools: KnownTools) -> ParsedText:
    """Return the complete calls of known tools at the end of a text, and the text before them."""
    for start in _list_places(text):
        if calls := _parse_to_end(text, start, tools):
            return ParsedText(text[:start], tuple(calls))
    return ParsedText(text)


def has_broken_call(text: str) -> bool:
    """Return whether an answer ends in the markup of a call, which could not be read."""
    start = next((place for place in _list_places(text) if MARKUP.match(text, place)), None)
    if start is None or text[text.rfind("\n", 0, start) + 1 : start].strip():
        return False
    last_line, markup = text.rstrip().rpartition("\n")[2], text[start:]
    is_open = not any(mark in markup for mark in ("</", "end|>", "end｜>"))
    return is_open or last_line.rstrip().endswith((">", "]", "}"))


def may_have_calls(text: str) -> bool:
    """Return whether a text can have the markup of a call: a quick look before a slow one."""
    marks = "<", "[TOOL_CALLS]", "functools["
    return any(mark in text for mark in marks) or bool(PYTHON_CALLS.match(text.lstrip()))


def _list_places(text: str) -> Iterator[int]:
    """Yield where calls may begin, outside of code and of what quotes."""
    start = len(text) - len(text.lstrip())
    if PYTHON_CALLS.match(text, start):  # without marks, these count only as the whole answer
        yield start
    places = sorted(
        {match.start() for pattern in (MARKUP, OPENING) for match in _find_openings(pattern, text)}
    )
    for place in places[:_MAX_PLACES]:
        if not _is_quoted(text, place):
            yield place


def _find_openings(pattern: re.Pattern[str], text: str) -> Iterator[re.Match[str]]:
    if pattern is OPENING:  # a tool's own tag, at a line's start only
        pattern = re.compile(f"^{OPENING.pattern}", re.MULTILINE)
    return pattern.finditer(text)


def _is_quoted(text: str, place: int) -> bool:
    before = text[:place]
    line = before.rpartition("\n")[2]
    if before.count("```") % 2 or before.count("~~~") % 2 or line.count("`") % 2:
        return True
    if line.startswith(("    ", "\t", ">")):
        return True
    if any(before.rfind(opening) > before.rfind(end) for opening, end in _MARKS):
        return True
    depths: dict[str, int] = {}
    for match in _QUOTE.finditer(before):
        name = match[2].lower()
        depths[name] = max(0, depths.get(name, 0) + (-1 if match[1] else 1))
    return any(depths.values())


def _parse_to_end(text: str, start: int, tools: KnownTools) -> list[TextCall]:
    """Return the calls from here on if the answer has nothing else; empty otherwise."""
    calls, position = list[TextCall](), start
    while position < len(text):
        if match := match_maker_calls(text, position, tools):
            calls += match[0]
            position = match[1]
        elif around := AROUND.match(text, position):
            position = around.end()
        else:
            return _parse_tags(calls, text[position:], tools)
    return calls


def _parse_tags(calls: list[TextCall], text: str, tools: KnownTools) -> list[TextCall]:
    """Return the calls with those in tools' own tags, which must be all that is left."""
    parsed = parse_calls(text, tools)
    is_whole = parsed.calls and not parsed.text.strip()
    is_right = is_whole and not any(call.error for call in parsed.calls)
    return [*calls, *parsed.calls] if is_right else []
