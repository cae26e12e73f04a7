import json

import pytest
from conversations import Builder
from langchain_core.messages import AIMessage, AnyMessage

from maxagent.nodes.conversation.stubs import build_stubs, shorten_arguments


def stub_of(tool: str, argument: str, result: str) -> str:
    builder = Builder("plain")
    builder.answer("", [(tool, argument, result)], thinks=False)
    stubs = build_stubs(builder.messages, {"result-call_1"})
    return str(stubs["result-call_1"].content)


@pytest.mark.parametrize(
    ("tool", "argument", "result", "expected"),
    [
        (
            "grep",
            "cart",
            "a\n" * 311,
            "[Left out to save room: 312 lines of grep `cart`. "
            "Call it again if you need it, for a smaller part if it is long.]",
        ),
        (
            "run_command",
            "pytest -q",
            "Error: exit code 1\n\nFAILED",
            "[Left out to save room: 3 lines of run_command `pytest -q`, which failed: "
            "Error: exit code 1. Call it again if you need it, for a smaller part if it is long.]",
        ),
        (
            "run_command",
            "make",
            'a\n[… 9 bytes, 1 lines cut; to read them: command_output(id="call_7") …]\nb',
            "[Left out to save room: 3 lines of run_command `make`. "
            'The whole output: command_output(id="call_7").]',
        ),
    ],
)
def test_stub_says_what_it_was_and_where(
    tool: str, argument: str, result: str, expected: str
) -> None:
    assert stub_of(tool, argument, result) == expected


def test_stub_keeps_one_line_and_the_files_unknown() -> None:
    builder = Builder("plain")
    builder.answer("", [("read_file", "a\nb" * 500, "text")], thinks=False)
    stub = build_stubs(builder.messages, {"result-call_1"})["result-call_1"]
    assert "\n" not in str(stub.content) and len(str(stub.content)) < 400
    assert stub.additional_kwargs == {"role": "build"}
    assert builder.messages[1].additional_kwargs["seen"]


def test_arguments_keep_their_shape_and_their_paths() -> None:
    edits = [{"old": "x" * 5_000, "new": "short"}, {"old": "y", "count": 3}]
    call = {"id": "c", "name": "edit", "args": {"path": "a.py", "edits": edits}}
    marks = {"output_parts": {"api": "chat", "parts": []}, "step": 4}
    answer = AIMessage("I edit.", tool_calls=[call], additional_kwargs=marks)
    short = shorten_arguments(answer)
    arguments = short.tool_calls[0]["args"]
    assert (arguments["path"], arguments["edits"][1]) == ("a.py", edits[1])
    assert arguments["edits"][0]["old"].startswith("x" * 80 + "[… 4,920 characters")
    assert short.additional_kwargs == {"step": 4} and len(json.dumps(arguments)) < 400
    assert answer.tool_calls[0]["args"]["edits"] == edits


def test_stubs_are_only_of_the_pruned() -> None:
    builder = Builder("plain")
    builder.answer("", [("grep", "a", "1"), ("grep", "b", "2")], thinks=False)
    messages: list[AnyMessage] = builder.messages
    assert [*build_stubs(messages, {"result-call_2", "gone"})] == ["result-call_2"]
    assert build_stubs(messages, set()) == {}
