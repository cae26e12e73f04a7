"""JSON found in what models answer: wrapped, misspelled, or not there at all."""

import json

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from maxagent.models.json_parsing import LONGEST_REPAIR, find_json_values

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
        "{" + "'a'," * LONGEST_REPAIR + "}",
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
