"""However a model writes its edits, they are understood or refused with what is wrong."""

import json

import pytest

from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.builtin.files.edit_arguments import Replacement, parse_replacements
from maxagent.tools.definition import get_schema
from maxagent.tools.result import ToolError

PAIR = {"old_string": "a", "new_string": "b"}


@pytest.mark.parametrize(
    "edits",
    [
        [PAIR],
        PAIR,
        json.dumps([PAIR]),
        json.dumps(PAIR),
        [{"old_str": "a", "newStr": "b", "replace_all": None, "reason": "why"}],
    ],
)
def test_edits_are_taken_in_every_usual_form(edits: object) -> None:
    assert parse_replacements(None, None, False, edits) == [Replacement("a", "b", False)]
    assert parse_replacements("", "", True, edits) == [Replacement("a", "b", True)]


@pytest.mark.parametrize(
    ("written", "cleaned"),
    [
        ("\\ud83d b", "\ufffd b"),
        ("b \\udc00", "b \ufffd"),
        ("\\ud83d\\ude00", "\U0001f600"),
        ("b\\u0000", "b"),
        ("b", "b"),
    ],
)
def test_edits_as_json_text_are_cleaned(written: str, cleaned: str) -> None:
    edits = f'[{{"old_string": "a", "new_string": "{written}"}}]'
    assert parse_replacements(None, None, False, edits) == [Replacement("a", cleaned, False)]


@pytest.mark.parametrize("edits", [None, [], "", " "])
def test_without_edits_the_pair_counts(edits: object) -> None:
    assert parse_replacements("a", "", True, edits) == [Replacement("a", "", True)]


@pytest.mark.parametrize(
    ("old", "new", "edits", "reason"),
    [
        (None, None, None, "give `old_string` and `new_string`, or several"),
        (None, None, [], "give `old_string` and `new_string`, or several"),
        ("a", None, None, "`new_string` is missing"),
        (None, "a", None, "`old_string` is missing"),
        ("a", "b", [PAIR], "not both"),
        (None, None, [PAIR, {"old_string": "a"}], "edit 2 needs `old_string` and `new_string`"),
        (None, None, [PAIR, {**PAIR, "new_string": 1}], "edit 2 needs"),
        (None, None, [{**PAIR, "replace_all": "yes"}], "edit 1 needs"),
        (None, None, [{**PAIR, "line": 3}], "edit 1: `line` does not exist, only `old_string`"),
        (None, None, ["a"], "edit 1 of `edits` is not an object"),
        (None, None, "[{", "this is not JSON"),
        (None, None, "[" * 100_000, "this is not JSON"),
        (None, None, "3", "`edits` must be a list"),
    ],
)
def test_what_is_no_request_is_refused(
    old: str | None, new: str | None, edits: object, reason: str
) -> None:
    with pytest.raises(ToolError, match=reason):
        parse_replacements(old, new, False, edits)


def test_schema_describes_pairs_and_requires_only_path() -> None:
    schema = get_schema(edit)
    item = schema["properties"]["edits"]["items"]
    assert schema["required"] == ["file_path"]
    assert item["required"] == ["old_string", "new_string"]
    assert list(item["properties"]) == ["old_string", "new_string", "replace_all"]
