"""JSON with comments and trailing commas."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.commented_json import parse_json

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@given(JSON)
def test_strict_json_stays_as_it_is(value: object) -> None:
    assert parse_json(json.dumps(value)) == (value, True)


@given(JSON)
def test_comments_and_commas_change_no_value(value: object) -> None:
    commented = '// a " b\n/* {,} */ [' + json.dumps(value) + ", // last\n]"
    assert parse_json(commented) == ([value], False)


@pytest.mark.parametrize("content", ["{", "[1,,2]", '{"a": 1 "b"}', "[" * 100_000])
def test_what_is_no_json_raises(content: str) -> None:
    with pytest.raises(ValueError):
        parse_json(content)


def test_an_error_names_the_line_of_the_file() -> None:
    with pytest.raises(json.JSONDecodeError) as raised:
        parse_json('/* a\nb */\n{"a": 1,\n "b": }')
    assert raised.value.lineno == 4
