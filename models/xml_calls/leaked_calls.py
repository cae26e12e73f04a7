"""Calls that a model with native calling has written into its text instead (pure)."""

import json
import re
from typing import Any, cast

from langchain_core.messages import AIMessage
from langchain_core.messages.tool import tool_call

from ..replay import without_output_parts
from ..tool_arguments import clean_value
from .argument_types import convert_values, trim_line_breaks
from .call_parser import FenceTracker, ParsedText, TextCall, parse_calls
from .known_tools import KnownTools

_JSON_CALL = re.compile(r"\s*<tool_call>(.*?)</tool_call>", re.DOTALL)
_INVOKE = re.compile(r'\s*<((?:\w+:)?)invoke name="([^"\n]+)">(.*?)</\1invoke>', re.DOTALL)
_PARAMETER = re.compile(
    r'\s*<((?:\w+:)?)parameter name="([^"\n]+)"[^>\n]*>(.*?)</\1parameter>\s*', re.DOTALL
)
_AROUND = re.compile(r"\s*</?(?:\w+:)?(?:function_calls|tool_calls)>")


def take_leaked_calls(answer: AIMessage, tools: KnownTools) -> AIMessage:
    """Return the answer with the calls of its text as calls, if it has no other call."""
    text = str(answer.text)
    if answer.tool_calls or answer.invalid_tool_calls or "<" not in text:
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
    """Return the complete calls of known tools and the text around them."""
    parsed = parse_calls(text, tools)
    if parsed.calls:
        whole = not any(call.error for call in parsed.calls)
        return parsed if whole else ParsedText(text)
    return _parse_other_forms(text, tools)


def _parse_other_forms(text: str, tools: KnownTools) -> ParsedText:
    fences, position = FenceTracker(), 0
    lines, calls = list[str](), list[TextCall]()
    while position < len(text):
        call, end = (None, position) if fences.is_open else _match_call(text, position, tools)
        around = None if fences.is_open else _AROUND.match(text, position)
        if call:
            calls.append(call)
            position = end
            continue
        if around:
            position = around.end()
            continue
        end = text.find("\n", position) + 1 or len(text)
        fences.add_line(text[position:end])
        lines.append(text[position:end])
        position = end
    return ParsedText("".join(lines), tuple(calls)) if calls else ParsedText(text)


def _match_call(text: str, position: int, tools: KnownTools) -> tuple[TextCall | None, int]:
    if match := _JSON_CALL.match(text, position):
        return _read_json_call(match[1], tools), match.end()
    if match := _INVOKE.match(text, position):
        return _read_invoke(match[2], match[3], tools), match.end()
    return None, position


def _read_json_call(content: str, tools: KnownTools) -> TextCall | None:
    """Return the call of `{"name": …, "arguments": {…}}`; None if it is not one."""
    try:
        value = json.loads(content, strict=False)
        fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
        args = fields.get("arguments", fields.get("parameters", {}))
        args = json.loads(args, strict=False) if isinstance(args, str) else args
    except (ValueError, RecursionError):
        return None
    name = str(fields.get("name", ""))
    if tools.find(name) is None or not isinstance(args, dict):
        return None
    return TextCall(name, cast("dict[str, object]", args))


def _read_invoke(name: str, body: str, tools: KnownTools) -> TextCall | None:
    """Return the call of `<invoke name="…">` with its parameters; None if it is not one."""
    tool, position = tools.find(name), 0
    values: dict[str, list[str]] = {}
    while match := _PARAMETER.match(body, position):
        values.setdefault(match[2], []).append(trim_line_breaks(match[3]))
        position = match.end()
    if tool is None or body[position:].strip():
        return None
    return TextCall(
        name,
        {each: convert_values(value, tool.find_schema(each)) for each, value in values.items()},
    )
