"""What servers say of their tools, as models and people are shown it."""

import re
from collections.abc import Mapping
from typing import Any, cast

from ...config.security.control_characters import CONTROL_CHARACTERS
from .client.portable_schema import name_properties, resolve_reference
from .definition import ToolDefinition

# Characters of a description that a model is shown
MAX_DESCRIPTION_LENGTH = 2_000
_INVISIBLE = re.compile(f"[{CONTROL_CHARACTERS}]")


def describe_tool(definition: ToolDefinition) -> str:
    """Return the description that a model reads: without hidden characters, and bounded."""
    words = remove_hidden(definition.description or definition.title).strip()
    if len(words) > MAX_DESCRIPTION_LENGTH:
        words = words[:MAX_DESCRIPTION_LENGTH].rstrip() + "…"
    return f"[MCP:{definition.server}] {words}".rstrip()


def remove_hidden(text: str) -> str:
    """Return the text without characters that a model would read and no person sees."""
    return _INVISIBLE.sub("", text)


def show_hidden(text: str) -> str:
    """Return the text with such characters as `U+200B`, for a person to review."""
    return _INVISIBLE.sub(lambda match: f"<U+{ord(match[0]):04X}>", text)


def remove_hidden_from_schema(value: Any) -> Any:
    """Return a schema without such characters, in names, values and texts alike."""
    if isinstance(value, str):
        return remove_hidden(value)
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value).items()
        return {remove_hidden(name): remove_hidden_from_schema(each) for name, each in fields}
    if isinstance(value, list):
        return [remove_hidden_from_schema(each) for each in cast("list[Any]", value)]
    return value


def restore_hidden(schema: Any, value: Any, root: Mapping[str, Any] | None = None) -> Any:
    """Return arguments with the names and values that the server wrote; a model saw others.

    `root` is the whole schema, to which references are.
    """
    if not isinstance(schema, Mapping):
        return value
    fields = cast("Mapping[str, Any]", schema)
    root = fields if root is None else root
    if "$ref" in fields:
        fields = resolve_reference(root, fields["$ref"])
    if isinstance(value, str):
        choices: list[Any] = [*_read_list(fields.get("enum")), fields.get("const")]
        written = [each for each in choices if isinstance(each, str)]
        return next((each for each in written if remove_hidden(each) == value), value)
    if isinstance(value, list):
        items = fields.get("items")
        return [restore_hidden(items, each, root) for each in cast("list[Any]", value)]
    properties: object = fields.get("properties")
    if not isinstance(value, Mapping) or not isinstance(properties, Mapping):
        return cast("Any", value)
    known = cast("Mapping[str, Any]", properties)
    bare_names = {remove_hidden(name): name for name in known}
    names = {key: bare_names[bare] for key, bare in name_properties(list(bare_names)).items()}
    restored: dict[str, Any] = {}
    for shown, each in cast("Mapping[str, Any]", value).items():
        name = shown if shown in known else names.get(shown, shown)
        restored[name] = restore_hidden(known.get(name), each, root)
    return restored


def _read_list(value: object) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
