"""Values by their JSON schema."""

from typing import Any

import pytest

from maxagent.models.xml_calls.argument_types import convert_values

STRING, INTEGER, BOOLEAN = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
STRINGS = {"type": "array", "items": STRING}
INTEGERS = {"type": "array", "items": INTEGER}
OPTIONAL = {"anyOf": [INTEGER, {"type": "null"}]}
TEXT_OR_LIST = {"anyOf": [STRINGS, STRING]}


@pytest.mark.parametrize(
    ("values", "schema", "expected"),
    [
        (["12"], STRING, "12"),
        ([" a "], STRING, " a "),
        (["[1]"], STRING, "[1]"),
        ([" 12 "], INTEGER, 12),
        (["twelve"], INTEGER, "twelve"),
        (["1.5"], {"type": "number"}, 1.5),
        (["TRUE"], BOOLEAN, True),
        (["yes"], BOOLEAN, "yes"),
        (["7"], OPTIONAL, 7),
        (["null"], OPTIONAL, None),
        (['["a", "b"]'], STRINGS, ["a", "b"]),
        (["a", "b"], STRINGS, ["a", "b"]),
        (["a"], STRINGS, ["a"]),
        ([""], STRINGS, []),
        (["\n<item>a</item>\n<item>\nb\n</item>\n"], STRINGS, ["a", "b"]),
        (["1", "2"], INTEGERS, [1, 2]),
        (["[1, 2]"], INTEGERS, [1, 2]),
        (['["a"]'], TEXT_OR_LIST, ["a"]),
        (["- a"], TEXT_OR_LIST, "- a"),
        (['{"a": 1}'], {"type": "object"}, {"a": 1}),
        (["{broken"], {"type": "object"}, "{broken"),
        (["a"], None, "a"),
        (["a", "b"], None, ["a", "b"]),
        (["a"], {}, "a"),
        (["a", "b"], STRING, ["a", "b"]),
    ],
)
def test_a_value_gets_its_type(values: list[str], schema: Any, expected: object) -> None:
    assert convert_values(values, schema) == expected
