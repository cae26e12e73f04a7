"""A server's schema as every provider accepts it (pure).

What one provider refuses of a tool is refused in every request of the thread: an alternative at the
top, a reference, a list without items, `format: uri`, names with blanks. The server itself checks
the arguments, so a schema for the model may say less; what it cannot say stands in descriptions.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, cast
from urllib.parse import unquote

MAX_DEPTH, MAX_NODES = 12, 1_500
# Anthropic's, the narrowest
_KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
_KINDS = ("string", "number", "integer", "boolean", "array", "object")
_BOUNDS = {
    "array": ("minItems", "maxItems"),
    "number": ("minimum", "maximum"),
    "integer": ("minimum", "maximum"),
}
# What only a description can say everywhere
_SPOKEN = ("format", "pattern", "exclusiveMinimum", "exclusiveMaximum", "minLength", "maxLength")
_Fields = dict[str, Any]


def to_portable_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema of a tool's arguments, without what a provider may refuse."""
    writer = _SchemaWriter(schema)
    fields = writer.merge_alternatives(writer.resolve(dict(schema), ()))
    return {"properties": {}, **writer.rewrite({**fields, "type": "object"}, 0, ())}


def name_properties(names: Sequence[str]) -> dict[str, str]:
    """Return the properties' names by those that a model is shown."""
    used = {name for name in names if _KEY.fullmatch(name)}
    mapped_names: dict[str, str] = {}
    for name in names:
        key = name
        if not _KEY.fullmatch(name):
            key = re.sub(r"[^a-zA-Z0-9_.-]+", "_", name)[:50] or "_"
            while key in used:
                key += "_"
            used.add(key)
        mapped_names[key] = name
    return mapped_names


def resolve_reference(root: Mapping[str, Any], reference: object) -> Mapping[str, Any]:
    """Return what `#/$defs/NAME` refers to; empty if there is nothing."""
    value: Any = root
    if not isinstance(reference, str) or not reference.startswith("#"):
        return {}
    for part in filter(None, unquote(reference[1:]).split("/")):
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(value, list) and key.isdecimal() and int(key) < len(cast("list[Any]", value)):
            value = cast("list[Any]", value)[int(key)]
        else:
            value = cast("_Fields", value).get(key) if isinstance(value, dict) else None
    return cast("Mapping[str, Any]", value) if isinstance(value, dict) else {}


class _SchemaWriter:
    """Rewrites the parts of one schema, up to a number of them."""

    def __init__(self, root: Mapping[str, Any]) -> None:
        self._root = root
        self._nodes = 0

    def rewrite(self, schema: object, depth: int, within: tuple[str, ...]) -> _Fields:
        """Return one part; what is too deep, or refers to itself, is left open."""
        if not isinstance(schema, dict) or depth > MAX_DEPTH:
            return {}
        self._nodes += 1
        if self._nodes > MAX_NODES:
            return {}
        part = cast("_Fields", schema)
        reference = part.get("$ref")
        if reference in within:
            return _describe({"type": "object"}, part, [])
        within = (*within, reference) if isinstance(reference, str) else within
        fields = self.resolve(part, within)
        options = self._list_options(fields)
        if len(options) == 1:
            is_listed = isinstance(fields.get("type"), list)
            outer = {
                key: fields[key] for key in fields if key not in ("anyOf", is_listed and "type")
            }
            return self.rewrite({**options[0], **outer}, depth + 1, within)
        if options:
            written = [self.rewrite(option, depth + 1, within) for option in options]
            return _describe({"anyOf": written}, fields, [])
        return self._write(fields, depth, within)

    def resolve(self, schema: _Fields, within: tuple[str, ...]) -> _Fields:
        """Return a schema with its reference and `allOf` in place."""
        fields = dict(schema)
        for _ in range(MAX_DEPTH):
            if "$ref" not in fields:
                break
            target = resolve_reference(self._root, fields.pop("$ref"))
            fields = {**target, **fields}
        fields.pop("$ref", None)
        parts = _list_dicts(fields.pop("allOf", None))
        for part in parts[:MAX_DEPTH]:
            if part.get("$ref") not in within:
                fields = _merge(fields, self.resolve(part, (*within, str(part.get("$ref")))))
        return fields

    def merge_alternatives(self, fields: _Fields) -> _Fields:
        """Return the fields with the properties of all alternatives at the top, where none may be.

        Required is what all of them require.
        """
        options = [
            self.resolve(option, ())
            for name in ("anyOf", "oneOf")
            for option in _list_dicts(fields.pop(name, None))
        ]
        for option in options:
            properties = _to_fields(option.get("properties"))
            fields["properties"] = {**properties, **_to_fields(fields.get("properties"))}
        if options:
            first, *others = [_list_texts(option.get("required")) for option in options]
            shared = [name for name in first if all(name in other for other in others)]
            fields["required"] = [*_list_texts(fields.get("required")), *shared]
        return fields

    def _list_options(self, fields: _Fields) -> list[_Fields]:
        """Return the alternatives of a value; null is none, since an argument can be left out."""
        kinds = _list_texts(fields.get("type"))
        if isinstance(fields.get("type"), list):
            bare = {key: value for key, value in fields.items() if key != "description"}
            options = [{**bare, "type": kind} for kind in kinds]
        else:
            options = [*_list_dicts(fields.get("anyOf")), *_list_dicts(fields.get("oneOf"))]
            fields.pop("oneOf", None)
        return [option for option in options if option.get("type") != "null"]

    def _write(self, fields: _Fields, depth: int, within: tuple[str, ...]) -> _Fields:
        kind = _find_kind(fields)
        written: _Fields = {"type": kind} if kind else {}
        notes = [f"{name}: {fields[name]}" for name in _SPOKEN if _is_scalar(fields.get(name))]
        for bound in _BOUNDS.get(kind, ()):
            if isinstance(fields.get(bound), int | float) and not isinstance(fields[bound], bool):
                written[bound] = fields[bound]
        choices = _list_choices(fields)
        texts = list(dict.fromkeys(each for each in choices if isinstance(each, str) and each))
        if texts and kind == "string":
            written["enum"] = texts
        elif choices:
            notes.append("one of " + ", ".join(map(str, choices)))
        if _is_scalar(fields.get("default")):
            written["default"] = fields["default"]
        if kind == "array":
            written["items"] = self._write_items(fields, depth, within)
        if kind == "object":
            written |= self._write_properties(fields, depth, within)
        return _describe(written, fields, notes)

    def _write_items(self, fields: _Fields, depth: int, within: tuple[str, ...]) -> _Fields:
        places = _list_dicts(fields.get("items")) or _list_dicts(fields.get("prefixItems"))
        if places and not isinstance(fields.get("items"), dict):
            return self.rewrite({"anyOf": places}, depth + 1, within) or {"type": "string"}
        return self.rewrite(fields.get("items"), depth + 1, within) or {"type": "string"}

    def _write_properties(self, fields: _Fields, depth: int, within: tuple[str, ...]) -> _Fields:
        properties = _to_fields(fields.get("properties"))
        names = name_properties(list(properties))
        written: _Fields = {
            key: self.rewrite(properties[name], depth + 1, within) for key, name in names.items()
        }
        required = set(_list_texts(fields.get("required")))
        needed_keys = [key for key, name in names.items() if name in required]
        return {"properties": written, **({"required": needed_keys} if needed_keys else {})}


def _find_kind(fields: _Fields) -> str:
    kind = fields.get("type")
    if kind in _KINDS:
        return cast("str", kind)
    if "properties" in fields:
        return "object"
    if "items" in fields or "prefixItems" in fields:
        return "array"
    choices = _list_choices(fields)
    return "string" if choices and all(isinstance(each, str) for each in choices) else ""


def _list_choices(fields: _Fields) -> list[Any]:
    choices: object = fields.get("enum")
    choices_list = cast("list[Any]", choices) if isinstance(choices, list) else []
    return choices_list or ([fields["const"]] if _is_scalar(fields.get("const")) else [])


def _describe(written: _Fields, fields: _Fields, notes: Sequence[str]) -> _Fields:
    """Add the description, with what only it can say."""
    description = fields.get("description")
    parts = [description.strip()] if isinstance(description, str) and description.strip() else []
    parts += [f"({'; '.join(notes)})"] if notes else []
    return {**written, "description": " ".join(parts)} if parts else written


def _merge(fields: _Fields, part: _Fields) -> _Fields:
    properties = {**_to_fields(part.get("properties")), **_to_fields(fields.get("properties"))}
    required = [*_list_texts(fields.get("required")), *_list_texts(part.get("required"))]
    merged = {**part, **fields}
    merged |= {"properties": properties} if properties else {}
    return merged | ({"required": list(dict.fromkeys(required))} if required else {})


def _to_fields(value: object) -> _Fields:
    return cast("_Fields", value) if isinstance(value, dict) else {}


def _list_dicts(value: object) -> list[_Fields]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [cast("_Fields", item) for item in items if isinstance(item, dict)]


def _list_texts(value: object) -> list[str]:
    items = cast("list[object]", value) if isinstance(value, list) else []
    return [item for item in items if isinstance(item, str)]


def _is_scalar(value: object) -> bool:
    return isinstance(value, str | int | float) and value != ""
