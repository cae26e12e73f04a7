"""JSON of requests."""

import pytest

from maxagent.models.http.json_encoding import encode_json


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ({"a": "中 😀"}, '{"a":"中 😀"}'),
        ({"a": "x\0y", "b\0": ["\0"]}, '{"a":"xy","b":[""]}'),
        ({"a": "\\u0000"}, '{"a":"\\\\u0000"}'),
        ({"a": "\ud83d"}, '{"a":"�"}'),
        ({"a": "\ud83d\ude00"}, '{"a":"😀"}'),
    ],
)
def test_json_is_compact_and_valid_for_servers(value: object, written: str) -> None:
    assert encode_json(value).decode() == written
