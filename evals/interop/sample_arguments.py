"""Arguments that fit a JSON schema, and forms that are filled in with their defaults."""

from collections.abc import Mapping
from typing import Any

TEXT, NUMBER = "hello", 2


def build_arguments(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a value for each required property, and for those with a default."""
    properties: Mapping[str, Any] = schema.get("properties", {})
    required = schema.get("required", [])
    return {
        name: build_value(field)
        for name, field in properties.items()
        if name in required or "default" in field
    }


def build_form_answer(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the form's defaults, and a value for each other required field."""
    return build_arguments(schema)


def build_value(field: Mapping[str, Any]) -> Any:
    """Return a value of the field's type: its default, its first choice, or a plain one."""
    if "default" in field:
        return field["default"]
    if "const" in field:
        return field["const"]
    if choices := field.get("enum"):
        return choices[0]
    if variants := field.get("oneOf") or field.get("anyOf"):
        return build_value(variants[0])
    kind = field.get("type", "string")
    match kind[0] if isinstance(kind, list) else kind:
        case "integer" | "number":
            return max(NUMBER, field.get("minimum", NUMBER))
        case "boolean":
            return True
        case "array":
            count = field.get("minItems", 1)
            return [build_value(field.get("items", {})) for _ in range(count)]
        case "object":
            return build_arguments(field)
        case "null":
            return None
        case _:
            return _build_text(field)


def _build_text(field: Mapping[str, Any]) -> str:
    match field.get("format"):
        case "email":
            return "me@example.com"
        case "uri":
            return "https://example.com"
        case "date":
            return "2026-01-02"
        case "date-time":
            return "2026-01-02T03:04:05Z"
        case _:
            return TEXT
