from typing import Any

import pytest

from maxagent.cli.rendering.subagents.running_children import RunningChildren
from maxagent.sdk import events as ev


@pytest.fixture
def children() -> RunningChildren:
    times = iter(range(1000))
    return RunningChildren(lambda: float(next(times)))


def usage(agent: str, requests: int, tokens: int) -> ev.TokenUsage:
    window: Any = {"cached": 0, "cost": None, "window": 0, "context_length": 0}
    return ev.TokenUsage(requests=requests, input=tokens, output=0, agent=agent, **window)


def call(agent: str, tool: str, path: str) -> ev.ToolCall:
    return ev.ToolCall(id=path, tool=tool, args={"path": path}, role="agent", agent=agent)


def test_each_child_has_one_line(children: RunningChildren) -> None:
    assert not children and children.format_lines() == []
    for sub_id in ("explore-1", "shell-1"):
        children.track_event(ev.SubagentStarted(sub_id, sub_id[:-2], "find\nit \x1b[2J", "c1"))
    children.track_event(usage("explore-1", 2, 1234))
    children.track_event(call("explore-1", "read_file", "a.py"))
    children.track_event(call("", "read_file", "of-the-parent.py"))
    first, second = children.format_lines()
    assert "explore-1 · step 3 · read_file a.py · 1,234 tokens" in first
    assert "shell-1 · step 1 · begins" in second
    details = "\n".join(children.format_details())
    assert "find it \\x1b[2J" in details and "▸ read_file a.py" in details
    assert "parent" not in details


def test_ended_children_have_no_line(children: RunningChildren) -> None:
    for number in (1, 2):
        children.track_event(ev.SubagentStarted(f"explore-{number}", "explore", "find", "c1"))
    children.track_event(ev.SubagentFinished("explore-1", "done", "found", {}, []))
    assert len(children.format_lines()) == 1
    children.track_event(ev.Interrupted("t"))
    assert not children


def test_child_that_goes_on_has_its_line_again(children: RunningChildren) -> None:
    children.track_event(call("explore-1", "grep", "x"))
    assert "explore-1 · step 1 · grep x" in children.format_lines()[0]
    assert len(children.format_details()) == 2


def test_attempt_has_a_line_until_it_ends(children: RunningChildren) -> None:
    now: Any = {"number": 2, "thread_id": "t", "model": "", "status": "running"}
    used = {"requests": 3, "input": 1200, "output": 34}
    reads = {"role": "coder", "tool": "read_file", "args": {"path": "a.py"}}
    children.track_event(ev.AttemptProgress(**now, **reads, usage=used))
    assert "attempt 2 · coder · step 4 · read_file a.py · 1,234" in children.format_lines()[0]
    children.track_event(ev.AttemptProgress(**now, role="tests", usage=used))
    assert "attempt 2 · tests · step 4 · begins" in children.format_lines()[0]
    children.track_event(ev.AttemptProgress(**{**now, "status": "ended"}, usage=used))
    assert not children
