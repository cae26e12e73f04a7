"""Schemas of servers, as every provider accepts them."""

import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.mcp.client.portable_schema import MAX_NODES, to_portable_schema
from maxagent.tools.mcp.tool_text import restore_hidden

ALLOWED = {
    *("type", "description", "properties", "required", "items", "enum", "anyOf", "default"),
    *("minItems", "maxItems", "minimum", "maximum"),
}
"""Keywords that OpenAI, Anthropic, Gemini and llama.cpp all read."""
TEXT = {"type": "string"}
KEY = re.compile(r"[\w.-]{1,64}", re.ASCII)


def find_faults(schema: Any, *, top: bool = True) -> list[str]:
    """Find what some provider refuses."""
    if not isinstance(schema, dict):
        return ["a part is no object"]
    faults = [f"keyword {name}" for name in schema if name not in ALLOWED]
    if top and (schema.get("type") != "object" or "anyOf" in schema):
        faults.append("no object at the top")
    if schema.get("type") == "array" and not schema.get("items"):
        faults.append("a list without items")
    if not isinstance(schema.get("type", ""), str):
        faults.append("several types")
    choices = schema.get("enum", ["x"])
    if not choices or not all(isinstance(each, str) and each for each in choices):
        faults.append("choices that are no text")
    properties = schema.get("properties", {})
    faults += [
        f"name {name}" for name in properties if not re.fullmatch(r"[\w.-]{1,64}", name, re.A)
    ]
    faults += [
        "required is unknown" for name in schema.get("required", []) if name not in properties
    ]
    parts = [*properties.values(), *schema.get("anyOf", [])]
    parts += [schema["items"]] if "items" in schema else []
    return faults + [fault for part in parts for fault in find_faults(part, top=False)]


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


NODE = {"type": "object", "properties": {"next": {"$ref": "#/$defs/node"}, "value": TEXT}}
SCHEMAS: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "nothing": ({}, of()),
    "reference": (
        {**of(a={"$ref": "#/$defs/x"}), "$defs": {"x": TEXT}, "$schema": "http://json-schema.org"},
        of(a=TEXT),
    ),
    "draft 7": (
        {**of(a={"$ref": "#/definitions/a~1b"}), "definitions": {"a/b": TEXT}},
        of(a=TEXT),
    ),
    "reference to nothing": (of(a={"$ref": "#/$defs/none"}), of(a={})),
    "whole by reference": ({"$ref": "#/$defs/x", "$defs": {"x": of(a=TEXT)}}, of(a=TEXT)),
    "true": (of(a=True, b=False), of(a={}, b={})),
    "recursive": (
        {**of(list={"$ref": "#/$defs/node"}), "$defs": {"node": NODE}},
        of(list={"type": "object", "properties": {"next": {"type": "object"}, "value": TEXT}}),
    ),
    "alternatives at the top": (
        {"type": "object", "anyOf": [
            {"properties": {"a": TEXT, "b": TEXT}, "required": ["a", "b"]},
            {"properties": {"a": TEXT, "c": TEXT}, "required": ["a", "c"]}]},
        {**of(a=TEXT, b=TEXT, c=TEXT), "required": ["a"]},
    ),
    "all at the top": (
        {"allOf": [{"properties": {"a": TEXT}, "required": ["a"]}, {"properties": {"b": TEXT}}]},
        {**of(a=TEXT, b=TEXT), "required": ["a"]},
    ),
    "one or null": (
        of(a={"anyOf": [TEXT, {"type": "null"}], "default": None, "description": "A."}),
        of(a={**TEXT, "description": "A."}),
    ),
    "type in a list": (of(a={"type": ["string", "null"]}), of(a=TEXT)),
    "types in a list": (
        of(a={"type": ["string", "integer"]}),
        of(a={"anyOf": [TEXT, {"type": "integer"}]}),
    ),
    "one of": (
        of(a={"oneOf": [TEXT, {"type": "array", "items": TEXT}]}),
        of(a={"anyOf": [TEXT, {"type": "array", "items": TEXT}]}),
    ),
    "list without items": (of(a={"type": "array"}), of(a={"type": "array", "items": TEXT})),
    "places": (
        of(a={"type": "array", "items": [TEXT, {"type": "number"}]}),
        of(a={"type": "array", "items": {"anyOf": [TEXT, {"type": "number"}]}}),
    ),
    "format and pattern": (
        of(a={**TEXT, "format": "uri", "pattern": "^(?=x)", "description": "Where."}),
        of(a={**TEXT, "description": "Where. (format: uri; pattern: ^(?=x))"}),
    ),
    "choices of numbers": (
        of(a={"type": "integer", "enum": [1, 2]}),
        of(a={"type": "integer", "description": "(one of 1, 2)"}),
    ),
    "an empty choice": (of(a={**TEXT, "enum": ["", "x"]}), of(a={**TEXT, "enum": ["x"]})),
    "constant": (of(a={"const": "x"}), of(a={**TEXT, "enum": ["x"]})),
    "required but unknown": (
        {**of(a=TEXT), "required": ["a", "b"]},
        {**of(a=TEXT), "required": ["a"]},
    ),
    "names": ({**of(**{"$filter": TEXT, "a b": TEXT}), "required": ["a b"]},
              {**of(_filter=TEXT, a_b=TEXT), "required": ["a_b"]}),
    "conditions": (
        {**of(a=TEXT), "if": {}, "then": {}, "not": {}, "additionalProperties": False,
         "patternProperties": {"x": {}}, "dependentRequired": {"a": ["b"]}},
        of(a=TEXT),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SCHEMAS)
def test_schema_is_written_for_all(name: str) -> None:
    schema, portable = SCHEMAS[name]
    assert to_portable_schema(schema) == portable
    assert find_faults(portable) == []


WORDS = [
    "type",
    "properties",
    "items",
    "anyOf",
    "allOf",
    "oneOf",
    "$ref",
    "enum",
    "required",
    "a b",
]
VALUES = st.sampled_from(["object", "array", "string", "null", "#", "#/properties", True, 1, None])
ANY = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(WORDS), inner),
)


@given(st.dictionaries(st.sampled_from(WORDS), ANY))
def test_any_schema_is_written_for_all(schema: dict[str, Any]) -> None:
    assert find_faults(to_portable_schema(schema)) == []


def test_schema_that_grows_is_bounded() -> None:
    levels = {f"d{n}": of(a={"$ref": f"#/$defs/d{n + 1}"}, b={"$ref": f"#/$defs/d{n + 1}"})
              for n in range(30)}  # fmt: skip
    schema = to_portable_schema({"$ref": "#/$defs/d0", "$defs": levels})
    assert len(str(schema)) < MAX_NODES * 100


@pytest.mark.parametrize(
    ("schema", "sent", "written"),
    [
        (of(**{"$filter": TEXT}), {"_filter": "x"}, {"$filter": "x"}),
        (of(**{"a b": TEXT, "a_b": TEXT}), {"a_b_": "1", "a_b": "2"}, {"a b": "1", "a_b": "2"}),
        (
            {**of(a={"$ref": "#/$defs/x"}), "$defs": {"x": of(**{"b c": TEXT})}},
            {"a": {"b_c": "1"}},
            {"a": {"b c": "1"}},
        ),
        (
            of(a={"type": "array", "items": of(**{"ä": TEXT})}),
            {"a": [{"_": "1"}]},
            {"a": [{"ä": "1"}]},
        ),
        (of(a=True), {"a": {"b": 1}}, {"a": {"b": 1}}),
    ],
)  # fmt: skip
def test_server_gets_its_own_names(schema: Any, sent: Any, written: Any) -> None:
    assert restore_hidden(schema, sent) == written
