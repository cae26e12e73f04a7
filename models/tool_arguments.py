"""Names and arguments of tool calls: as APIs accept them, and safe for checkpoints (pure)."""

import ast
import json
import math
import re
from collections.abc import Iterable
from typing import Any, cast

from ..config.text import text
from .text_cleanup import repair_text

MAX_DEPTH = 100
_DECODER = json.JSONDecoder(strict=False)
# What stands behind whole arguments: brackets, an empty object, marks of an end
# a text, which is kept, or a comma before the end of an object or list
_LAST_COMMA = re.compile(r'("(?:[^"\\]|\\.)*")|(?<=[\w"}\]]),(\s*[}\]])', re.DOTALL)
_LEAVINGS = re.compile(r"(?:[}\]]|\{\s*\}|</?[\w:|｜▁]{1,40}>|<\|[\w]{1,40}\|>|\s)*")
MAX_NAME_LENGTH = 64
# OpenAI, Anthropic and Gemini together
_VALID_NAME = re.compile(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}")
TOO_DEEP = "the arguments are nested too deeply"


def parse_arguments(arguments: str) -> dict[str, Any]:
    """Return the arguments as the model meant them; raises ValueError with the error.

    Strict, because a half-written file must never pass for a whole one. Accepted are raw line ends
    in strings, no arguments at all, an object written as a JSON string or as Python writes it, and
    after a whole object what servers leave behind it: it once more, brackets, marks of an end.
    """
    value = _load_whole(arguments)
    for _ in range(2):
        value = _load_whole(value) if isinstance(value, str) else value
    if isinstance(value, list) and len(cast("list[object]", value)) == 1:
        value = cast("list[object]", value)[0]
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ValueError("the arguments are not a JSON object")
    if _is_deep(cast(object, value)):
        raise ValueError(TOO_DEEP)
    return cast("dict[str, Any]", clean_value(cast(object, value)))


def make_valid_name(name: str | None) -> str:
    """Return the name of a call as every API accepts it; one bad name spoils all later requests."""
    if name and _VALID_NAME.fullmatch(name):
        return name
    words = re.sub(r"[^a-zA-Z0-9_-]+", "_", name or "").strip("_-")
    letters = words if words[:1].isalpha() else f"call_{words}"
    return letters[:MAX_NAME_LENGTH].rstrip("_-")


def to_valid_json(arguments: str) -> str:
    """Return the arguments as the text of a JSON object, or, if broken, of a JSON string.

    LangChain completes broken JSON by itself: a truncated call would look valid. It treats a JSON
    string as an invalid call.
    """
    try:
        parsed = parse_arguments(arguments)
    except ValueError:
        return json.dumps(arguments)
    return arguments if _is_plain_object(arguments) else json.dumps(parsed)


def _is_plain_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments, strict=False), dict)
    except (ValueError, RecursionError):
        return False


def is_valid_json(arguments: str) -> bool:
    """Return whether `parse_arguments` accepts the arguments."""
    try:
        parse_arguments(arguments)
    except ValueError:
        return False
    return True


def restore_original_arguments(arguments: str) -> str:
    """Return the broken arguments that `to_valid_json` converted to a JSON string."""
    try:
        value = json.loads(arguments)
    except ValueError:
        return arguments
    return value if isinstance(value, str) else arguments


def clean_value(value: object) -> object:
    """Return the value without data that a checkpoint or a request cannot hold.

    Integers beyond 64 bit and non-finite numbers become strings; text is repaired.
    """
    if isinstance(value, str):
        return repair_text(value)
    if isinstance(value, dict):
        fields = cast("dict[str, object]", value)
        return {repair_text(name): clean_value(each) for name, each in fields.items()}
    if isinstance(value, list):
        return [clean_value(each) for each in cast("list[object]", value)]
    if isinstance(value, bool):
        return value
    if isinstance(value, int) and not -(2**63) <= value < 2**63:
        return str(value)
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def _is_deep(value: object) -> bool:
    """Return whether it is nested too deeply for later processing, on any Python."""
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for each in level for child in _list_children(each)]
        if not level:
            return False
    return True


def _list_children(value: object) -> Iterable[object]:
    if isinstance(value, dict):
        return cast("dict[str, object]", value).values()
    return cast("list[object]", value) if isinstance(value, list) else ()


def _load_whole(content: str) -> object:
    """Load one value; raises ValueError if it is not whole, or something else follows it."""
    plain = _remove_fence(content.strip().removeprefix("\ufeff").strip())
    if not plain:
        return None
    try:
        return _load_json(plain)
    except ValueError as error:
        for load in (_load_first, _load_python, _load_without_commas):
            value = load(plain)
            if value is not None:
                return value
        raise error


def _remove_fence(content: str) -> str:
    lines = content.split("\n")
    is_fenced = len(lines) > 2 and lines[0].strip() in ("```", "```json")
    return "\n".join(lines[1:-1]) if is_fenced and lines[-1].strip() == "```" else content


def _load_first(content: str) -> object:
    """Return the object at the beginning if only leavings follow it, else None."""
    if not content.startswith("{"):
        return None
    try:
        value, end = _DECODER.raw_decode(content)
    except (ValueError, RecursionError):
        return None
    following = content[end:].strip()
    while following.startswith(content[:end]):
        following = following[end:].strip()
    return value if _LEAVINGS.fullmatch(following) else None


def _load_python(content: str) -> object:
    """Return the dictionary that the text is in Python, else None."""
    try:
        value: object = ast.literal_eval(content) if content.startswith("{'") else None
    except (ValueError, SyntaxError, RecursionError, MemoryError):
        return None
    return value if _has_names(value) else None


def _load_without_commas(content: str) -> object:
    """Return the value of JSON with a comma behind a last entry, else None."""
    plain = _LAST_COMMA.sub(lambda match: match[1] or match[2], content)
    try:
        return json.loads(plain, strict=False) if plain != content else None
    except (ValueError, RecursionError):
        return None


def _has_names(value: object) -> bool:
    """Return whether it holds nothing that JSON has not."""
    if isinstance(value, dict):
        fields = cast("dict[object, object]", value)
        return all(isinstance(name, str) for name in fields) and all(
            map(_has_names, fields.values())
        )
    if isinstance(value, list):
        return all(map(_has_names, cast("list[object]", value)))
    return value is None or isinstance(value, str | int | float | bool)


def _load_json(content: str) -> object:
    try:
        return json.loads(content, strict=False)
    except json.JSONDecodeError as error:
        raise ValueError(text("the arguments are not valid JSON: {error}", error=error)) from None
    except RecursionError:
        raise ValueError(TOO_DEEP) from None
