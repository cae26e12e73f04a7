"""Values of arguments: raw text typed by the argument's JSON schema (pure)."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any, cast

_ITEM = re.compile(r"\s*<([A-Za-z_][\w-]*)>(.*?)</\1>\s*", re.DOTALL)


def convert_values(values: Sequence[str], schema: Mapping[str, Any] | None) -> object:
    """Return the argument that was written by these tags; a text that does not fit stays as it is.

    The tool itself checks the arguments: its message names the wrong one.
    """
    if schema is None:
        return values[0] if len(values) == 1 else list(values)
    if len(values) > 1:
        items = _find_item_schema(schema)
        return [_convert_value(value, items) for value in values]
    return _convert_value(values[0], schema)


def is_list(schema: Mapping[str, Any] | None) -> bool:
    """Return whether the argument is a list, whose tag may be repeated."""
    return schema is not None and "array" in _list_types(schema)


def trim_line_breaks(value: str) -> str:
    """Drop the line break after the opening and the one before the closing tag."""
    value = value.removeprefix("\r\n") if value.startswith("\r\n") else value.removeprefix("\n")
    return value.removesuffix("\r\n") if value.endswith("\r\n") else value.removesuffix("\n")


def _convert_value(value: str, schema: Mapping[str, Any]) -> object:
    types, text = _list_types(schema), value.strip()
    if "array" in types and text.startswith("["):
        parsed = _parse_json(text)
        if isinstance(parsed, list):
            return cast("list[object]", parsed)
    if "object" in types and text.startswith("{"):
        parsed = _parse_json(text)
        if isinstance(parsed, dict):
            return cast("dict[str, object]", parsed)
    if "string" in types or not types:
        return value
    if "array" in types:
        items = _find_item_schema(schema)
        return [_convert_value(item, items) for item in _split_items(value)]
    return _convert_scalar(text, types, value)


def _convert_scalar(text: str, types: frozenset[str], value: str) -> object:
    if "boolean" in types and text.lower() in ("true", "false"):
        return text.lower() == "true"
    if "null" in types and text.lower() in ("null", "none", ""):
        return None
    if types & {"integer", "number"}:
        parsed = _parse_json(text)
        if isinstance(parsed, int | float) and not isinstance(parsed, bool):
            return parsed
    return value


def _split_items(value: str) -> list[str]:
    """Return the items of a list written as tags inside of its tag, else the value as one item."""
    items, position = list[str](), 0
    while match := _ITEM.match(value, position):
        items.append(trim_line_breaks(match[2]))
        position = match.end()
    if items and position == len(value):
        return items
    return [value] if value.strip() else []


def _list_types(schema: Mapping[str, Any]) -> frozenset[str]:
    """Return the JSON types that the schema accepts; empty: any."""
    kind = schema.get("type")
    if isinstance(kind, str):
        return frozenset([kind])
    if isinstance(kind, list):
        return frozenset(cast("list[str]", kind))
    choices = _list_choices(schema)
    return frozenset(each for choice in choices for each in _list_types(choice))


def _list_choices(schema: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return cast("list[Mapping[str, Any]]", schema.get("anyOf") or schema.get("oneOf") or [])


def _find_item_schema(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    for choice in (schema, *_list_choices(schema)):
        if "items" in choice:
            return cast("Mapping[str, Any]", choice["items"])
    return {}


def _parse_json(text: str) -> object:
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        return None
