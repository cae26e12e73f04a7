"""Schemas that can be used, and answers that fit them or are told why not."""

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.errors import UsageError
from maxagent.models.structured_output import MOST_FAULTS, NO_JSON, fit, one_line, usable

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
    assert fit(answer, PERSON).json == line


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
def test_what_does_not_fit_is_told_with_its_place(answer: str, faults: tuple[str, ...]) -> None:
    assert fit(answer, PERSON).faults == faults


def test_only_the_first_faults_are_told_and_each_briefly() -> None:
    faults = fit(json.dumps(["x" * 1000] * 100), {"items": {"type": "integer"}}).faults
    assert len(faults) == MOST_FAULTS and max(map(len, faults)) < 400


def test_no_secret_is_in_what_fits_or_in_what_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "Zq8-the-key-of-nobody")
    fitted = fit('{"name": "Zq8-the-key-of-nobody"}', PERSON)
    assert fitted.json == '{"name": "[secret: SOME_API_KEY]"}'
    told = fit('{"name": 1, "Zq8-the-key-of-nobody": 2}', PERSON)
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
def test_a_schema_that_holds_all_it_needs_is_usable(schema: dict[str, Any]) -> None:
    assert usable(schema, "`s.json`") == schema


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
def test_a_schema_that_cannot_be_used_is_wrong_input(schema: object, words: str) -> None:
    with pytest.raises(UsageError) as caught:
        usable(schema, "`s.json`")
    assert caught.value.message.startswith("`s.json`") and words in caught.value.message
    assert caught.value.hint


def test_nesting_without_end_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(sys.getrecursionlimit()):
        deep = {"items": deep}
    with pytest.raises(UsageError, match="nested too deep"):
        usable(deep, "`s.json`")


@given(st.text())
def test_a_line_reads_the_same_and_prints_alike_everywhere(text: str) -> None:
    line = one_line({"a": text})
    assert json.loads(line) == {"a": text}
    assert "\n" not in line and line.encode()
