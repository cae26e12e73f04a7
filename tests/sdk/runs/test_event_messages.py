from datetime import datetime, timedelta
from typing import Any

import pytest

from maxagent.sdk.events import (
    KINDS,
    Completion,
    Event,
    Failure,
    FilesChanged,
    Interrupted,
    Notice,
    Output,
    Plan,
    PlanResponse,
    RunStarted,
    Thinking,
    TokenUsage,
    ToolCall,
    ToolResult,
    as_json,
)
from maxagent.sdk.runs.event_messages import PATHS, EventMessages

STARTED = RunStarted("t-1", "Title", "/p", "a/b", "ask", False)
USED = TokenUsage(1, 2, 3, 0, None, window=5, context_length=100)


def build(*events: Event) -> list[Any]:
    messages = EventMessages()
    return [message for event in events for message in messages.build(event)]


@pytest.mark.parametrize(
    ("event", "path"),
    [
        (STARTED, "conversation_id"),
        (Thinking("Hm."), "thinking"),
        (Output("Hi."), "output"),
        (ToolCall("c", "grep", {}, "build"), "tool/call"),
        (ToolResult("c", "grep", True, "a", "", {}), "tool/result"),
        (FilesChanged([{"path": "a", "kind": "added", "by": "tool"}], "tree"), "apply_changes"),
        (PlanResponse("Two steps?", ["yes"]), "plan"),
        (Plan("1. a"), "plan"),
        (Completion("t-1", "answered", "Hi.", None, [], ""), "completion"),
        (Failure("no", "hint", 1), "error"),
        (Interrupted("t-1"), "interrupted"),
        (Notice("hm"), "notice"),
    ],
)
def test_event_has_the_documents_path_and_its_fields(event: Event, path: str) -> None:
    (message,) = build(event)
    assert (message["path"], message["type"]) == (f"/agent/edit/{path}", event.type)
    assert {"type": event.type, **message["data"]} == as_json(event)


def test_request_has_a_second_message_with_its_window() -> None:
    first, second = build(USED)
    assert (first["path"], first["data"]["input"]) == ("/agent/edit/token_usage", 2)
    assert second["path"] == "/agent/edit/window_length" and second["meta"]["seq"] == 2
    assert second["data"] == {"window": 5, "context_length": 100, "agent": ""}


def test_messages_are_numbered_in_each_run() -> None:
    other = RunStarted("t-2", "", "/p", "a/b", "ask", True)
    messages = build(STARTED, USED, Output("a"), other, Output("b"))
    meta = [message["meta"] for message in messages]
    assert [part["seq"] for part in meta] == [1, 2, 3, 4, 1, 2]
    assert [part["thread_id"] for part in meta] == ["t-1"] * 4 + ["t-2"] * 2
    assert len({part["run_id"] for part in meta}) == 2
    assert meta[3]["run_id"] != meta[4]["run_id"] == meta[5]["run_id"]


def test_time_is_in_utc_and_paths_are_of_real_events() -> None:
    (message,) = build(STARTED)
    assert datetime.fromisoformat(message["meta"]["time"]).utcoffset() == timedelta(0)
    assert PATHS.keys() <= KINDS.keys()
