"""Calls in the text of a model with native calling."""

import pytest
from langchain_core.messages import AIMessage
from langchain_core.messages.tool import tool_call
from xml_tools import KNOWN, invoke_tag

from maxagent.models.replay import OUTPUT_PARTS
from maxagent.models.xml_calls.leaked_calls import has_broken_call, take_leaked_calls

READ = ("read_file", {"path": "a", "start_line": 2})
JSON_CALL = (
    '<tool_call>\n{"name": "read_file", "arguments": {"path": "a", "start_line": 2}}\n</tool_call>'
)
JSON_TEXT = (
    '<tool_call>{"name": "read_file", "arguments": '
    '"{\\"path\\": \\"a\\", \\"start_line\\": 2}"}</tool_call>'
)
INVOKE = invoke_tag("read_file", path="a", start_line="2")
TAGS = "<read_file>\n<path>a</path>\n<start_line>2</start_line>\n</read_file>"


@pytest.mark.parametrize(
    "leak",
    [
        TAGS,
        JSON_CALL,
        JSON_TEXT,
        INVOKE,
        f"<function_calls>\n{INVOKE}\n</function_calls>",
        f"<x:function_calls>\n{invoke_tag('read_file', 'x:', path='a', start_line='2')}"
        "\n</x:function_calls>",
    ],
)
def test_each_form_becomes_a_call(leak: str) -> None:
    answer = take_leaked_calls(AIMessage(f"I look.\n\n{leak}\n"), KNOWN)
    assert [(call["name"], call["args"]) for call in answer.tool_calls] == [READ]
    assert answer.content == "I look."


def test_the_providers_own_parts_are_dropped() -> None:
    texts = {"reasoning_content": "Why?"}
    answer = AIMessage(TAGS, additional_kwargs={**texts, OUTPUT_PARTS: {"parts": []}})
    assert take_leaked_calls(answer, KNOWN).additional_kwargs == texts


def test_several_calls_are_taken_in_order() -> None:
    other = '<tool_call>{"name": "git_status"}</tool_call>'
    answer = take_leaked_calls(AIMessage(f"{JSON_CALL}\n{other}"), KNOWN)
    assert [call["name"] for call in answer.tool_calls] == ["read_file", "git_status"]


@pytest.mark.parametrize(
    "text",
    [
        f"```\n{TAGS}\n```",
        f"```\n{JSON_CALL}\n```",
        f"```\n{INVOKE}\n```",
        f"like `{TAGS}`",
        "<read_file>\n<path>a",
        '<tool_call>{"name": "read_file", "arguments": {"path": </tool_call>',
        '<tool_call>{"name": "no_such_tool", "arguments": {}}</tool_call>',
        '<tool_call>["read_file"]</tool_call>',
        invoke_tag("no_such_tool", path="a"),
        "a < b",
    ],
)
def test_anything_else_is_the_answer(text: str) -> None:
    answer = AIMessage(text)
    assert take_leaked_calls(answer, KNOWN) is answer


def test_a_native_call_beside_it_counts_alone() -> None:
    answer = AIMessage(TAGS, tool_calls=[tool_call(name="git_status", args={}, id="c")])
    assert take_leaked_calls(answer, KNOWN) is answer


@pytest.mark.parametrize(
    "opening",
    [
        '<tool_call>\n{"name": "read_file", "arguments": {"path": "a',
        'functools[{"name": "read_file"',
    ],
)
@pytest.mark.parametrize(
    "prefix",
    [
        "I look.\n",
        "The reply ends in `<｜tool▁calls▁end｜>`.\n",
        "It closes with `<|tool_calls_section_end|>`.\n",
        "A tag ends in `</b>`.\n",
        "",
    ],
)
def test_open_call_is_broken_after_any_text(prefix: str, opening: str) -> None:
    assert has_broken_call(prefix + opening)
