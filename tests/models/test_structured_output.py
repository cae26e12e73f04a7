"""Schemas that can be used, and answers that fit them or are told why not."""

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.errors import UsageError
from maxagent.models.structured_output import (
    MOST_FAULTS,
    NO_JSON,
    fit_answer,
    to_json_line,
    validate_schema,
)

PERSON: dict[str, Any] = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "born": {"type": "string", "format": "date"}},
    "required": ["name"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("answer", "line"),
    [
        ('{"name": "Ada"}', '{"name": "Ada"}'),
        ('Here:\n```json\n{\n  "name": "Ada"\n}\n```', '{"name": "Ada"}'),
        ("{'name': '艾达',}", '{"name": "艾达"}'),
        ('```\n{"name": "Ada"}\n```\nnot\n```\n{"name": 1}\n```', '{"name": "Ada"}'),
        ('{"name": "\\u202e\\ud800"}', '{"name": "\\u202e\\ud800"}'),
        ('{"name": "a", "born": "1815-12-10"}', '{"name": "a", "born": "1815-12-10"}'),
    ],
)
def test_what_fits_is_one_line_of_json(answer: str, line: str) -> None:
    assert fit_answer(answer, PERSON).json == line


@pytest.mark.parametrize(
    ("answer", "faults"),
    [
        ("Ada", (NO_JSON,)),
        ("{}", ("`$`: 'name' is a required property",)),
        ('{"name": 1}', ("`$.name`: 1 is not of type 'string'",)),
        ('{"name": "a", "born": "today"}', ("`$.born`: 'today' is not a 'date'",)),
        ('[1]\n```\n"x"\n```', ("`$`: 'x' is not of type 'object'",)),
    ],
)
def test_faults_are_reported_with_their_place(answer: str, faults: tuple[str, ...]) -> None:
    assert fit_answer(answer, PERSON).faults == faults


def test_only_first_faults_are_reported_and_shortened() -> None:
    faults = fit_answer(json.dumps(["x" * 1000] * 100), {"items": {"type": "integer"}}).faults
    assert len(faults) == MOST_FAULTS and max(map(len, faults)) < 400


def test_results_and_faults_contain_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "Zq8-the-key-of-nobody")
    fitted = fit_answer('{"name": "Zq8-the-key-of-nobody"}', PERSON)
    assert fitted.json == '{"name": "[secret: SOME_API_KEY]"}'
    told = fit_answer('{"name": 1, "Zq8-the-key-of-nobody": 2}', PERSON)
    assert told.faults and "Zq8" not in str(told)


@pytest.mark.parametrize(
    "schema",
    [
        {},
        PERSON,
        {"$ref": "#"},
        {"$schema": "http://json-schema.org/draft-07/schema#", "items": {"$ref": "#/definitions/a"},
         "definitions": {"a": {"type": "string"}}},
        {"$defs": {"a": {"$anchor": "here"}}, "items": {"$ref": "#here"}},
        {"$id": "https://example.org/a", "items": {"$id": "b", "$ref": "#/$defs/c",
         "$defs": {"c": {"type": "null"}}}},
    ],
)  # fmt: skip
def test_self_contained_schema_is_valid(schema: dict[str, Any]) -> None:
    assert validate_schema(schema, "`s.json`") == schema


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ([], "is not a JSON schema"),
        (None, "is not a JSON schema"),
        ({"type": "objet"}, "`$.type`: 'objet'"),
        ({"pattern": "("}, "`$.pattern`"),
        ({"$schema": 5}, "`$['$schema']`"),
        ({"properties": {"a": {"$id": 5}}}, "5 is not of type 'string'"),
        ({"$ref": "https://example.org/schema.json"}, "refers to `https://example.org"),
        ({"items": {"$ref": "other.json"}}, "refers to `other.json`, which is not in it"),
        ({"items": {"$ref": "#/$defs/missing"}}, "refers to `/$defs/missing`"),
    ],
)
def test_unusable_schema_is_usage_error(schema: object, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        validate_schema(schema, "`s.json`")
    assert caught.value.message.startswith("`s.json`") and words in caught.value.message
    assert caught.value.hint


def test_nesting_without_end_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(sys.getrecursionlimit()):
        deep = {"items": deep}
    with pytest.raises(UsageError, match="nested too deep"):
        validate_schema(deep, "`s.json`")


@given(st.text())
def test_json_line_reads_and_prints_the_same_everywhere(text: str) -> None:
    line = to_json_line({"a": text})
    assert json.loads(line) == {"a": text}
    assert "\n" not in line and line.encode()
