"""Calls in the markup of a model's maker, which its server should have parsed (pure).

The forms are those of the makers' chat templates: Qwen, GLM, Kimi, DeepSeek, Mistral, Llama,
Granite, Command, InternLM, LongCat, MiniMax, Seed, Nemotron, Functionary, and OpenAI's Harmony.
"""

import ast
import json
import re
from collections.abc import Iterable
from itertools import islice
from typing import Any, cast

from .argument_types import convert_values, trim_line_breaks
from .call_parser import TextCall
from .known_tools import KnownTools

_DECODER = json.JSONDecoder(strict=False)
_NAME_FIELDS = ("name", "tool_name", "tool")
_ARGUMENT_FIELDS = ("arguments", "parameters", "args", "input")
# A function's name, as Kimi and Harmony number and qualify it
_NAME = r"(?:functions[.:])?([\w.-]{1,128}?)(?::\d+)?"
# What may stand around calls and between them
AROUND = re.compile(
    "|".join(
        (
            r"\s+",
            r"</?(?:\w+:)?(?:function_calls?|(?:longcat_)?tool_calls?|TOOLCALL)>",
            r"<\|(?:START|END)_ACTION\|>|<\|action_(?:start|end)\|>|<\|plugin\|>",
            "</?｜DSML｜(?:function_calls|tool_calls)>",
            r"<\|tool_calls_section_(?:begin|end)\|>|<\|/?tool_call(?:_end)?\|>",
            r"<\|(?:python_(?:tag|start|end)|eom_id|eot_id|im_end|end|call|start)\|>",
            "<｜tool▁(?:calls▁(?:begin|end)|call▁end)｜>|<｜end▁of▁sentence｜>|</s>",
            r"\[TOOL_CALLS\]|functools(?=\[)|assistant(?=<\|channel)|[,;](?=\s*[\[{<])",
        )
    )
)
_GLM = re.compile(
    rf"<((?:longcat_)?)tool_call>\s*{_NAME}\s*"
    r"((?:<\1arg_key>.*?</\1arg_key>\s*<\1arg_value>.*?</\1arg_value>\s*)*)</\1tool_call>",
    re.DOTALL,
)
_GLM_PAIR = re.compile(
    r"<(?:longcat_)?arg_key>(.*?)</(?:longcat_)?arg_key>\s*"
    r"<(?:longcat_)?arg_value>(.*?)</(?:longcat_)?arg_value>",
    re.DOTALL,
)
_FUNCTION = re.compile(rf"<function={_NAME}>(.*?)</function>", re.DOTALL)
# Qwen forgets to close one before it opens the next
_PARAMETER = re.compile(
    r"\s*<parameter=([\w.-]+)>(.*?)(?:</parameter>\s*|(?=\n<parameter=))", re.DOTALL
)
_INVOKE = re.compile(r'<((?:\w+:|｜DSML｜)?)invoke name="([^"\n]+)">(.*?)</\1invoke>', re.DOTALL)
_INVOKE_PARAMETER = re.compile(
    r'\s*<((?:\w+:|｜DSML｜)?)parameter name="([^"\n]+)"[^>\n]*>(.*?)</\1parameter>\s*', re.DOTALL
)
# The name, and then its arguments as JSON
_NAMED_JSON = re.compile(
    "|".join(
        (
            rf"<\|tool_call_begin\|>\s*{_NAME}\s*<\|tool_call_argument_begin\|>",  # Kimi
            rf"<｜tool▁call▁begin｜>(?:function<｜tool▁sep｜>)?\s*{_NAME}\s*"  # DeepSeek
            r"(?:<｜tool▁sep｜>|\n)\s*(?:```json)?",
            rf"(?:\[TOOL_CALLS\])?\s*{_NAME}\s*(?:\[CALL_ID\]\w+)?\[ARGS\]",  # Mistral
            rf"<\|channel\|>commentary\s+to={_NAME}\s*"  # Harmony
            r"(?:<\|constrain\|>json|json|code)?\s*<\|message\|>",
        )
    )
)
_JSON = re.compile(r"\s*(?=[\[{])")
# Llama's list of calls, as Python writes them
PYTHON_CALLS = re.compile(r"\[\s*[A-Za-z_]\w*\(")
# Most brackets at which such a list may end
_MAX_BRACKETS = 100
_PYTHON_NAMES = {"true": True, "false": False, "null": None}
Match = tuple[list[TextCall], int]


def match_maker_calls(text: str, position: int, tools: KnownTools) -> Match | None:
    """Return the calls at this place and where they end; None unless they are whole and known."""
    forms = (_match_glm, _match_function, _match_invoke, _match_named, _match_json, _match_python)
    for match_form in forms:
        if match := match_form(text, position, tools):
            return match
    return None


def _match_glm(text: str, position: int, tools: KnownTools) -> Match | None:
    match = _GLM.match(text, position)
    if match is None:
        return None
    pairs = [(key.strip(), value) for key, value in _GLM_PAIR.findall(match[3])]
    return _build_match(match[2], pairs, tools, match.end())


def _match_function(text: str, position: int, tools: KnownTools) -> Match | None:
    match = _FUNCTION.match(text, position)
    if match is None:
        return None
    if match[2].lstrip().startswith("{"):  # Llama
        return _read_arguments(match[1], match[2], tools, match.end())
    pairs, at = list[tuple[str, str]](), 0
    while pair := _PARAMETER.match(match[2], at):
        pairs.append((pair[1], pair[2]))
        at = pair.end()
    return _build_match(match[1], pairs, tools, match.end()) if not match[2][at:].strip() else None


def _match_invoke(text: str, position: int, tools: KnownTools) -> Match | None:
    match = _INVOKE.match(text, position)
    if match is None:
        return None
    pairs, at = list[tuple[str, str]](), 0
    while pair := _INVOKE_PARAMETER.match(match[3], at):
        pairs.append((pair[2], pair[3]))
        at = pair.end()
    return _build_match(match[2], pairs, tools, match.end()) if not match[3][at:].strip() else None


def _match_named(text: str, position: int, tools: KnownTools) -> Match | None:
    match = _NAMED_JSON.match(text, position)
    name = next(filter(None, match.groups()), "") if match else ""
    if match is None or tools.find(name) is None:
        return None
    try:
        value, end = _DECODER.raw_decode(text, _skip(text, match.end()))
    except (ValueError, RecursionError):
        return None
    fence = re.compile(r"\s*```").match(text, end) if "```" in match[0] else None
    return _read_value(name, value, tools, fence.end() if fence else end)


def _match_json(text: str, position: int, tools: KnownTools) -> Match | None:
    """Match one object or a list of objects with name and arguments."""
    if not text.startswith(("{", "["), position):
        return None
    try:
        value, end = _DECODER.raw_decode(text, position)
    except (ValueError, RecursionError):
        return None
    objects = cast("list[object]", value) if isinstance(value, list) else [cast(object, value)]
    calls = [_read_object(each, tools) for each in objects]
    known_calls = [call for call in calls if call]
    return (known_calls, end) if calls and len(known_calls) == len(calls) else None


def _match_python(text: str, position: int, tools: KnownTools) -> Match | None:
    """Match a list of calls with named arguments, `[read_file(path="a.py")]`."""
    if not PYTHON_CALLS.match(text, position):
        return None
    for bracket in islice(re.finditer(r"\]", text[position:]), _MAX_BRACKETS):
        end = position + bracket.end()
        try:
            calls = cast(ast.List, ast.parse(text[position:end], mode="eval").body).elts
            read_calls = [_read_python_call(each, tools) for each in calls]
        except (SyntaxError, ValueError, AttributeError, RecursionError, MemoryError):
            continue  # the bracket is in an argument
        known_calls = [call for call in read_calls if call]
        return (known_calls, end) if len(known_calls) == len(calls) else None
    return None


def _read_python_call(node: ast.expr, tools: KnownTools) -> TextCall | None:
    if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name) or node.args:
        return None
    args = {each.arg: _read_python_value(each.value) for each in node.keywords}
    if None in args:  # `**values`
        return None
    match = _read_value(node.func.id, args, tools, 0)
    return match[0][0] if match else None


def _read_python_value(node: ast.expr) -> object:
    if isinstance(node, ast.Name) and node.id in _PYTHON_NAMES:
        return _PYTHON_NAMES[node.id]
    return ast.literal_eval(node)


def _read_object(value: object, tools: KnownTools) -> TextCall | None:
    fields = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    inner = fields.get("function")
    if isinstance(inner, dict):
        fields = cast("dict[str, Any]", inner)
    elif isinstance(inner, str) and "name" not in fields:
        fields = {**fields, "name": inner}
    name = next((str(fields[key]) for key in _NAME_FIELDS if fields.get(key)), "")
    values: list[object] = [fields[key] for key in _ARGUMENT_FIELDS if key in fields]
    match = _read_value(name.removeprefix("functions."), values[0] if values else {}, tools, 0)
    return match[0][0] if match else None


def _read_arguments(name: str, words: str, tools: KnownTools, end: int) -> Match | None:
    try:
        return _read_value(name, json.loads(words, strict=False), tools, end)
    except (ValueError, RecursionError):
        return None


def _read_value(name: str, args: object, tools: KnownTools, end: int) -> Match | None:
    if isinstance(args, str):
        return _read_arguments(name, args, tools, end) if args.strip() else None
    if tools.find(name) is None or not isinstance(args, dict | None):
        return None
    return [TextCall(name, cast("dict[str, object]", args or {}))], end


def _build_match(
    name: str, pairs: Iterable[tuple[str, str]], tools: KnownTools, end: int
) -> Match | None:
    """Build the call of a form whose values are text; the tool's schema has their types."""
    tool = tools.find(name)
    if tool is None:
        return None
    values: dict[str, list[str]] = {}
    for key, value in pairs:
        values.setdefault(key, []).append(trim_line_breaks(value))
    args = {key: convert_values(each, tool.find_schema(key)) for key, each in values.items()}
    return [TextCall(name, args)], end


def _skip(text: str, position: int) -> int:
    match = _JSON.match(text, position)
    return match.end() if match else position
