from collections.abc import Sequence
from typing import Any

import pytest

from maxagent.cli.web.agui_events import RunRenderer, is_end

Json = dict[str, Any]
USER = {"id": "u", "role": "user", "content": "Go"}
CALL = {"id": "c", "tool": "run_command", "args": {"command": "ls"}, "role": "", "agent": ""}
RESULT = {"id": "c", "ok": True, "output": "x\n", "error": "", "metadata": {}, "agent": ""}
STARTED = {"sub_id": "explore-1", "agent": "explore", "task": "look", "call_id": "c"}
REPORTED = {"sub_id": "explore-1", "status": "done", "report": "So.", "files": []}
ENTRIES = [
    {"kind": "human", "text": "Go", "ok": None},
    {"kind": "call", "call_id": "c", "tool": "run_command", "ok": False, "result": "Error: no"},
    {"kind": "thinking", "text": "Hm.", "ok": None},
    {"kind": "tests", "text": "pytest", "ok": None},
    {"kind": "answer", "text": "Done.", "ok": None},
]


def message(kind: str, number: int = 1, **data: Any) -> Json:
    return {"type": kind, "data": {"agent": "", **data}, "meta": {"seq": number}}


def output(text: str, number: int = 1, agent: str = "") -> Json:
    return message("output", number, text=text, agent=agent)


def render(messages: Sequence[Json], outcome: Json | None = None) -> list[Json]:
    renderer = RunRenderer("t", "r", [USER], {})
    events = [event for each in messages for event in renderer.render(each)]
    return [*events, *renderer.finish(outcome or {"type": "success"})]


def name(events: Sequence[Json]) -> str:
    short = [event["type"].replace("TEXT_MESSAGE", "TEXT") for event in events[:-1]]
    assert events[-1]["type"] == "RUN_FINISHED"
    return " ".join(short)


THOUGHT = "REASONING_START REASONING_MESSAGE_START REASONING_MESSAGE_CONTENT"
THOUGHT_END = "REASONING_MESSAGE_END REASONING_END"
CALLED = "TOOL_CALL_START TOOL_CALL_ARGS TOOL_CALL_END"


@pytest.mark.parametrize(
    ("messages", "types"),
    [
        ([], ""),
        ([output("a", 1), output("b", 2)], "TEXT_START TEXT_CONTENT TEXT_CONTENT TEXT_END"),
        (
            [message("thinking", text="Hm"), output("a", 2)],
            f"{THOUGHT} {THOUGHT_END} TEXT_START TEXT_CONTENT TEXT_END",
        ),
        ([message("tool_call", **CALL), message("tool_call", **CALL)], CALLED),
        ([message("tool_result", **RESULT)], "TOOL_CALL_RESULT"),
        (
            [output("a"), message("tool_call", **CALL), message("tool_result", **RESULT)],
            f"TEXT_START TEXT_CONTENT TEXT_END {CALLED} TOOL_CALL_RESULT",
        ),
        (
            [output("a", 1), output("b", 2, "explore-1"), output("c", 3)],
            "TEXT_START TEXT_CONTENT TEXT_START TEXT_CONTENT TEXT_CONTENT TEXT_END TEXT_END",
        ),
        (
            [message("role", role="coder"), message("role", role="tester")],
            "STEP_STARTED STEP_FINISHED STEP_STARTED STEP_FINISHED",
        ),
        ([message("verifying"), message("verifying")], "STEP_STARTED STEP_FINISHED"),
        ([message("subagent_started", **STARTED)], "SUBAGENT_STARTED SUBAGENT_FINISHED"),
        (
            [message("subagent_started", **STARTED), message("subagent_started", **STARTED)],
            "SUBAGENT_STARTED SUBAGENT_FINISHED",
        ),
        (
            [
                message("subagent_started", **STARTED),
                message("subagent_finished", **{**REPORTED, "status": "failed"}),
            ],
            "SUBAGENT_STARTED SUBAGENT_ERROR",
        ),
        ([message("subagent_finished", **REPORTED)], ""),
        ([message("notice", text="x")], "CUSTOM"),
        ([message("window_length")], ""),
        ([message("todos", items=[])], "STATE_DELTA"),
        ([message("todos", items=[], agent="explore-1")], ""),
        ([message("retry", reason="429")], "CUSTOM"),
        (
            [output("a"), message("retry", reason="429")],
            "TEXT_START TEXT_CONTENT TEXT_END MESSAGES_SNAPSHOT CUSTOM",
        ),
        (
            [output("a"), message("history", entries=ENTRIES, is_running=True), output("b", 9)],
            "TEXT_START TEXT_CONTENT TEXT_END MESSAGES_SNAPSHOT STATE_SNAPSHOT "
            "TEXT_START TEXT_CONTENT TEXT_END",
        ),
    ],
)
def test_what_is_opened_is_closed(messages: Sequence[Json], types: str) -> None:
    assert name(render(messages)) == types


def test_an_id_of_a_sub_agent_is_used_once() -> None:
    started = message("subagent_started", **STARTED)
    events = render([started, message("subagent_finished", **REPORTED), started, output("x")])
    ids = [each["subagentRunId"] for each in events if each["type"] == "SUBAGENT_STARTED"]
    assert ids == ["explore-1", "explore-1:1"]


def test_a_suspended_sub_agent_names_its_interrupts() -> None:
    asked = [{"id": "q", "subagentRunId": "explore-1"}, {"id": "other"}]
    outcome = {"type": "interrupt", "interrupts": asked}
    [_, ended, last] = render([message("subagent_started", **STARTED)], outcome)
    assert ended["outcome"] == {"type": "suspended", "interruptIds": ["q"]}
    assert last["outcome"] == outcome


def test_a_history_becomes_messages() -> None:
    [snapshot, *_] = render([message("history", entries=ENTRIES, is_running=False)])
    roles = [each["role"] for each in snapshot["messages"]]
    assert roles == ["user", "assistant", "tool", "reasoning", "activity", "assistant"]
    result = snapshot["messages"][2]
    assert (result["content"], result["metadata"]) == ("no", {"mcode": {"ok": False}})


def test_usage_counts_every_request_of_the_run() -> None:
    totals = dict.fromkeys(("requests", "input", "output", "cached", "window"), 9)
    used = {**totals, "cost": None, "context_length": 9}
    used["request"] = {"input": 5, "output": 2, "cached": 1}
    events = render([message("token_usage", **used), message("token_usage", **used, agent="e")])
    [usage] = events[-1]["usage"]
    assert usage == {
        "inputTokens": 10,
        "outputTokens": 4,
        "totalTokens": 14,
        "cachedInputTokens": 2,
    }


@pytest.mark.parametrize(
    ("sent", "end"),
    [
        (message("completion"), True),
        (message("output"), False),
        (message("history", is_running=True), False),
        (message("history", is_running=False, thread=None), True),
        (message("history", is_running=False, thread={"status": "running"}), False),
    ],
)
def test_the_end_of_a_run(sent: Json, end: bool) -> None:
    assert is_end(sent) is end
