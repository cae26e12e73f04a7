"""Schemas that can be used, and answers that fit them or are told why not."""

import json
import sys
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maxagent.config.errors import UsageError
from maxagent.models.structured_output import (
    MAX_FAULTS,
    MAX_REPAIR_LENGTH,
    NO_JSON,
    find_json_values,
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
    assert len(faults) == MAX_FAULTS and max(map(len, faults)) < 400


def test_results_and_faults_contain_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "Zq8-the-key-of-nobody")
    fitted = fit_answer('{"name": "Zq8-the-key-of-nobody"}', PERSON)
    assert fitted.json == '{"name": "[secret: SOME_API_KEY]"}'
    answer = fit_answer('{"name": 1, "Zq8-the-key-of-nobody": 2}', PERSON)
    assert answer.faults and "Zq8" not in str(answer)


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
    ("schema", "text"),
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
def test_unusable_schema_is_usage_error(schema: object, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        validate_schema(schema, "`s.json`")
    assert caught.value.message.startswith("`s.json`") and text in caught.value.message
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


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)  # fmt: skip


OBJECT = st.dictionaries(st.text(), JSON, max_size=3)


PROSE = st.text(st.characters(exclude_characters='[]{}`~"', exclude_categories=["Cs"]))


def first(text: str) -> object:
    return next(find_json_values(text), "nothing")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ("\ufeff\n [1, 2] \n", [1, 2]),
        ('"text"', "text"),
        ("12", 12),
        ('Here it is:\n```json\n{"a": 1}\n```\nDone.', {"a": 1}),
        ("~~~\n[1]\n~~~", [1]),
        ('````\n{"a": "```"}\n````', {"a": "```"}),
        ('```json\n{"a": 1}', {"a": 1}),
        ('First ```x``` then\n```\n{"a": 1}\n```\nno:\n```\n{"a": 2}\n```', {"a": 2}),
        ('The answer is {"a": {"b": []}}, as asked.', {"a": {"b": []}}),
        ("{'a': True, b: None,}", {"a": True, "b": None}),
        ('{"a": 1,} ', {"a": 1}),
        ("```json\n[1, 2,] \n```", [1, 2]),
        ('{"a": "one\ntwo"}', {"a": "one\ntwo"}),
    ],
)
def test_a_value_is_found_however_it_is_wrapped(text: str, value: object) -> None:
    assert first(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I could not {find} it",
        "[Note] The files [a] and [b] are missing.",
        "Sorry: [I cannot]. ",
        '{"a": [1, 2',
        '{"cut": "in the mid',
        '{"a": NaN}',
        '{"a": 1e999}',
        "{}x{}",
        "1" * 5000,
        "[" * 100_000 + "]" * 100_000,
        "{" + "'a'," * MAX_REPAIR_LENGTH + "}",
    ],
)
def test_prose_cut_answers_and_non_json_yield_nothing(text: str) -> None:
    assert first(text) == "nothing"


@given(OBJECT, PROSE, st.sampled_from([None, 2]), st.sampled_from(["```json", "```", "~~~~"]))
@example({}, "", None, "```")
@example({"```": "\n```\n"}, "", None, "```")
def test_objects_are_found_alone_fenced_and_in_prose(
    value: dict[str, object], prose: str, indent: int | None, fence: str
) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False)
    closing = fence.rstrip("json")
    for answer in (text, f"{prose}\n{fence}\n{text}\n{closing}\n", f"{prose} {text} {prose}"):
        assert first(answer) == value


@given(st.text())
@example("{'")
@example('{"a": "\\ud800"}')
def test_any_text_yields_only_json(text: str) -> None:
    for value in find_json_values(text):
        assert json.loads(json.dumps(value, allow_nan=False)) == value
