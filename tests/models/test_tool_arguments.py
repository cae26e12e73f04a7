"""Tool-call arguments: strict, and safe for checkpoints."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessageChunk
from langchain_core.messages.tool import tool_call_chunk
from langgraph.checkpoint.serde.jsonplus import JsonPlusSerializer

from maxagent.models.tool_arguments import (
    clean_value,
    make_valid_name,
    parse_arguments,
    restore_original_arguments,
    to_valid_json,
)

BROKEN = ["{", '{"a": "half', '{"a": 1,,}', "{,}", "[1]", "7", '"text"', '"{"', '{"a": 1} {"a": 2}']
BROKEN += ["{'a': 'half", "{'a': f()}", "{'a': {1, 2}}", '{"a": "b}"}</x>"', '[{"a": 1}, {"a": 2}]']


@pytest.mark.parametrize(
    ("arguments", "parsed"),
    [
        ('{"a": 1}', {"a": 1}),
        ("", {}),
        ("  ", {}),
        ("null", {}),
        ('{"a": "line\nend\ttab"}', {"a": "line\nend\ttab"}),
        ('"{\\"a\\": 1}"', {"a": 1}),
        ('{"a": 18446744073709551616}', {"a": "18446744073709551616"}),
        ('{"a": [9223372036854775807, -9223372036854775809]}',
         {"a": [2**63 - 1, "-9223372036854775809"]}),
        ('{"a": NaN, "b": 1e999, "c": true}', {"a": "nan", "b": "inf", "c": True}),
        ('{"a\\u0000": "b\\u0000c"}', {"a": "bc"}),
        ('{"a": "\\ud83d"}', {"a": "�"}),
        ('{"a": "\\ud83d\\ude00"}', {"a": "😀"}),
        ('{"a": 1}}', {"a": 1}),
        ('{"a": 1}\n]}', {"a": 1}),
        ('{"a": 1,}', {"a": 1}),
        ('{"a": "b",\n}', {"a": "b"}),
        ('{"a": [1, 2, ], "b": {"c": null,},}', {"a": [1, 2], "b": {"c": None}}),
        ('{"a": ",}",}', {"a": ",}"}),
        ('{"a": "\\",}",}', {"a": '",}'}),
        ('{"a": 1}{"a": 1}', {"a": 1}),
        ('{"a": 1}{}', {"a": 1}),
        ('{"a": 1}<|tool_call_end|>', {"a": 1}),
        ('{"a": 1}\n</tool_call>', {"a": 1}),
        ('\ufeff{"a": 1}', {"a": 1}),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('[{"a": 1}]', {"a": 1}),
        ("{'a': 'it\\'s', 'b': None, 'c': [True]}", {"a": "it's", "b": None, "c": [True]}),
        (json.dumps(json.dumps('{"a": 1}')), {"a": 1}),
    ],
)  # fmt: skip
def test_what_the_model_meant(arguments: str, parsed: dict) -> None:
    assert parse_arguments(arguments) == parsed


@pytest.mark.parametrize(
    "arguments",
    [*BROKEN, '{"a":' * 100_000, '{"a": ' + "9" * 5000 + "}"],
    ids=range(len(BROKEN) + 2),
)
def test_broken_arguments_are_never_completed(arguments: str) -> None:
    with pytest.raises(ValueError):
        parse_arguments(arguments)


@pytest.mark.parametrize("arguments", BROKEN)
def test_langchain_takes_broken_arguments_for_an_invalid_call(arguments: str) -> None:
    piece = tool_call_chunk(name="t", args=to_valid_json(arguments), id="1", index=0)
    ai_message_chunk = AIMessageChunk(content="", tool_call_chunks=[piece], chunk_position="last")
    assert (ai_message_chunk.tool_calls, len(ai_message_chunk.invalid_tool_calls)) == ([], 1)
    assert restore_original_arguments(piece["args"] or "") == arguments


@given(st.text())
def test_to_valid_json_keeps_broken_arguments(arguments: str) -> None:
    json.loads(to_valid_json(arguments), strict=False)
    try:
        parse_arguments(arguments)
    except ValueError:
        assert restore_original_arguments(to_valid_json(arguments)) == arguments


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters()), inner),
)


@given(JSON)
def test_a_checkpoint_can_hold_whatever_was_cleaned(value: object) -> None:
    serializer = JsonPlusSerializer()
    cleaned = clean_value(value)
    assert serializer.loads_typed(serializer.dumps_typed(cleaned)) == cleaned


@pytest.mark.parametrize(("levels", "deep"), [(50, False), (99, False), (101, True), (5000, True)])
def test_deeply_nested_arguments_are_refused(levels: int, deep: bool) -> None:
    text = '{"a": ' + "[" * levels + "]" * levels + "}"
    if deep:
        with pytest.raises(ValueError, match="too deeply"):
            parse_arguments(text)
    else:
        assert parse_arguments(text)


@pytest.mark.parametrize(
    ("name", "valid"),
    [
        ("read_file", "read_file"),
        ("mcp_db_read-all_", "mcp_db_read-all_"),
        ("functions.read_file", "functions_read_file"),
        ("read_file<|channel|>commentary", "read_file_channel_commentary"),
        ("x" * 300, "x" * 64),
        ("9lives", "call_9lives"),
        ("-v", "v"),
        ("Datei lesen!", "Datei_lesen"),
        ("读取", "call"),
        ("", "call"),
        (None, "call"),
        ("a\nb", "a_b"),
    ],
)
def test_name_is_valid_for_every_api(name: str | None, valid: str) -> None:
    assert make_valid_name(name) == valid
