import json
from pathlib import Path

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from maxagent import Runner
from maxagent.nodes.conversation.cut import Cut
from maxagent.nodes.repetition.repeated_calls import (
    SHORT,
    find_earlier_answer,
    shorten_repeated_answer,
)
from maxagent.nodes.run.message_history import build_tool_message
from maxagent.nodes.tool_task import UNCHANGED_SINCE, PendingCall

LONG = "x" * (SHORT + 1)
CUT = Cut(
    id="0" * 32,
    upto="",
    summary="",
    kept=[],
    request="",
    references={},
    pruned=[],
    made_by="prune",
    before=0,
    after=0,
    scale=1.0,
    step=0,
)


def step(number: int, name: str, args: dict[str, object], text: str = LONG, **more: object):
    """An answer with one call, and the call's result."""
    call = {"name": name, "args": args, "id": f"call-{number}"}
    marks = {"role": "coder", "step": number}
    answer = AIMessage("", id=f"answer-{number}", tool_calls=[call], additional_kwargs=marks)
    options = {"ok": True, "seen": {"a.py": "hash"}, **more}
    result = build_tool_message(call["id"], name, "coder", text, **options)
    return [answer, result]


def find(messages, name="read_file", cut=None, **args: object):
    return find_earlier_answer(reversed(messages), name, args, cut)


READ = step(1, "read_file", {"path": "a.py"})


def test_same_call_by_another_name_is_found():
    messages = step(1, "read_file", {"path": "a.py"})
    messages[0].tool_calls[0] |= {"name": "Read", "args": {"file_path": "a.py"}}
    earlier = find([*messages, HumanMessage("on")], path="a.py")
    assert earlier and (earlier["call"], earlier["step"]) == ("call-1", 1)


@pytest.mark.parametrize(
    ("messages", "cut", "args"),
    [
        (READ, None, {"path": "a.py", "start_line": 5}),
        (READ, None, {"path": "b.py"}),
        (READ, {**CUT, "upto": "result-call-1"}, {"path": "a.py"}),
        (READ, {**CUT, "pruned": ["result-call-1"]}, {"path": "a.py"}),
        (step(1, "read_file", {"path": "a.py"}, "short"), None, {"path": "a.py"}),
        (step(1, "read_file", {"path": "a.py"}, ok=False), None, {"path": "a.py"}),
        (READ[:1], None, {"path": "a.py"}),
        ([], None, {"path": "a.py"}),
    ],
    ids=["range", "file", "cut", "pruned", "short", "failed", "running", "first"],
)
def test_other_or_hidden_answers_are_not_referred_to(messages, cut, args):
    assert find(messages, cut=cut, **args) is None


def test_command_is_never_answered_by_reference():
    assert find(step(1, "run_command", {"command": "ls"}), "run_command", command="ls") is None


@pytest.mark.parametrize(
    ("text", "seen", "is_short"),
    [(LONG, "hash", True), (LONG + "!", "hash", False), (LONG, "other", False)],
)
def test_answer_is_one_line_only_if_nothing_changed(text: str, seen: str, is_short: bool):
    earlier = find(READ, path="a.py")
    assert earlier
    message = build_tool_message("call-2", "read_file", "coder", text, ok=True, seen={"a.py": seen})
    call = PendingCall(id="call-2", name="read_file", args={"path": "a.py"}, notice="")
    reported = shorten_repeated_answer(message, earlier, call)
    assert (reported == {UNCHANGED_SINCE: 1}) == is_short == (len(message.text) < SHORT)
    assert message.additional_kwargs["seen"] == {"a.py": seen}
    assert not is_short or 'step 1: `read_file(path="a.py")`' in message.text


async def test_second_read_is_a_line_and_edits_work(tmp_path: Path):
    project, script = tmp_path / "project", tmp_path / "scenario.json"
    project.mkdir()
    (project / "a.py").write_text(f"old = 1\n{LONG}\n")
    read = {"name": "read_file", "args": {"path": "a.py"}}
    change = {"file_path": "a.py", "old_string": "old", "new_string": "new"}
    edit = {"name": "edit", "args": change}
    coder = [{"tool_calls": [call]} for call in (read, read, read, read, edit, read)]
    turns = {"architect": [{"text": "SMALL"}], "coder": [*coder, {"text": "done"}]}
    script.write_text(json.dumps(turns))
    options = {"model": f"scripted/{script}", "mode": "auto", "skip_tests": True, "apply": True}
    async with Runner(home=tmp_path / "home") as runner:
        events = [item async for item in runner.task("read", folder=project, options=options)]
    results = [event for event in events if event.type == "tool_result"]
    assert [result.ok for result in results] == [True] * 6
    referred = [result.metadata.get(UNCHANGED_SINCE) for result in results]
    assert referred == [None, 2, None, 4, None, None]
    assert all(LONG in result.output for result in results if result.tool == "read_file")
