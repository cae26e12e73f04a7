"""Description of the tools for the system prompt, from the schemas of native calling."""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any, cast

from .known_tools import KnownTool


def describe_tools(tools: Sequence[KnownTool]) -> str:
    """Return how to call the tools, and each tool; the same bytes each time."""
    return "\n\n".join([_read_introduction(), *map(_describe_tool, tools)])


@cache
def _read_introduction() -> str:
    path = Path(__file__).with_name("tool_descriptions.md")
    return path.read_text(encoding="utf-8").strip()


def _describe_tool(tool: KnownTool) -> str:
    arguments = [
        _describe_argument(name, schema, is_required=name in tool.required)
        for name, schema in tool.arguments.items()
    ]
    return "\n".join([f"## {tool.name}", tool.description, "", *(arguments or ["No arguments."])])


def _describe_argument(name: str, schema: Mapping[str, Any], *, is_required: bool) -> str:
    description = str(schema.get("description", "")).strip()
    default = "" if schema.get("default") in (None, "", []) else json.dumps(schema["default"])
    notes = [
        _describe_type(schema),
        "required" if is_required else "",
        f"default {default}" if default else "",
    ]
    return (
        f"- `<{name}>` ({', '.join(filter(None, notes))}){': ' if description else ''}{description}"
    )


def _describe_type(schema: Mapping[str, Any]) -> str:
    if "enum" in schema:
        values = cast("list[object]", schema["enum"])
        return "one of " + ", ".join(map(str, values))
    choices = cast("list[Mapping[str, Any]]", schema.get("anyOf") or schema.get("oneOf") or [])
    if choices:
        names = [_describe_type(choice) for choice in choices if choice.get("type") != "null"]
        return " or ".join(dict.fromkeys(names))
    kind = schema.get("type", "text")
    if kind == "array":
        items = cast("Mapping[str, Any]", schema.get("items", {}))
        return f"list of {_describe_type(items)}" if items else "list"
    if kind == "object":
        return _describe_object(schema)
    return {"string": "text"}.get(str(kind), str(kind))


def _describe_object(schema: Mapping[str, Any]) -> str:
    fields = cast("Mapping[str, Mapping[str, Any]]", schema.get("properties", {}))
    required = cast("list[str]", schema.get("required", []))
    names = [
        f'"{name}"{"" if name in required else "?"}: {_describe_type(each)}'
        for name, each in fields.items()
    ]
    return "object {" + ", ".join(names) + "}" if names else "object"
