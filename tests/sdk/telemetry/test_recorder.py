"""Spans of one run, event by event."""

import pytest

from maxagent.sdk.events import (
    CompactionFinished,
    Event,
    Failure,
    RunStarted,
    SubagentFinished,
    SubagentStarted,
    TokenUsage,
    ToolCall,
    ToolResult,
)
from maxagent.sdk.telemetry.otlp import Histogram
from maxagent.sdk.telemetry.recorder import RunRecorder

USAGE = {"input": 100, "output": 7, "cached": 60, "cost": 0.25, "seconds": 1.5}
STARTED = RunStarted("id", "title", "/x", "openai/gpt-5", "ask", resumed=False)
CALL = ToolCall("c1", "run_command", {"command": "ls"}, "build")
RESULT = ToolResult("c1", "run_command", True, "a", "", {})
CHILD = SubagentStarted("s1", "explore", "Look.")
SENT = SubagentStarted("s1", "explore", "Look.", "c1")


def build_usage(agent: str = "") -> TokenUsage:
    return TokenUsage(1, 100, 7, 60, 0.25, 0, 1000, USAGE, agent=agent)


def record(*events: Event, content: bool = False) -> RunRecorder:
    recorder = RunRecorder("chat", content=content)
    for event in (STARTED, *events):
        recorder.add(event)
    recorder.finish()
    return recorder


@pytest.mark.parametrize(
    ("events", "parents"),
    [
        ([build_usage()], {"chat gpt-5": "invoke_agent chat"}),
        ([CALL, RESULT], {"execute_tool run_command": "invoke_agent chat"}),
        ([CHILD, build_usage("s1")], {"chat gpt-5": "invoke_agent explore"}),
        ([CHILD], {"invoke_agent explore": "invoke_agent chat"}),
        ([CALL, SENT], {"invoke_agent explore": "execute_tool run_command"}),
        ([CALL, RESULT, SENT], {"invoke_agent explore": "invoke_agent chat"}),
        ([CompactionFinished("", "size", 9, 4, 0, "m", "s")], {"compact": "invoke_agent chat"}),
        ([RESULT], {"execute_tool run_command": "invoke_agent chat"}),
        ([CALL], {"execute_tool run_command": "invoke_agent chat"}),
    ],
)
def test_each_span_has_its_parent(events: list[Event], parents: dict[str, str]) -> None:
    spans = {span.span_id: span for span in record(*events).ended}
    parents_by_name = {
        span.name: spans[span.parent_id].name for span in spans.values() if span.parent_id
    }
    assert parents_by_name.items() >= parents.items()
    assert [span.name for span in spans.values() if not span.parent_id] == ["invoke_agent chat"]


def test_a_request_has_its_tokens_its_cost_and_its_time() -> None:
    [span, root] = record(build_usage()).ended
    assert span.attributes["gen_ai.usage.input_tokens"] == 100
    assert span.attributes["gen_ai.usage.cache_read.input_tokens"] == 60
    assert span.attributes["maxagent.cost"] == 0.25
    assert 1.4e9 < span.end - span.start < 1.9e9
    assert root.attributes["gen_ai.conversation.id"] == "id"


@pytest.mark.parametrize("content", [False, True])
def test_failures_are_marked_and_their_words_are_content(content: bool) -> None:
    failed = ToolResult("c1", "run_command", False, "", "secret words", {})
    [call, root] = record(CALL, failed, Failure("gone", "", 1), content=content).ended
    assert call.attributes["error.type"] == "tool_error"
    assert call.error == ("secret words" if content else "")
    assert root.error == "gone"


def test_spans_are_taken_once_and_metrics_sum_up() -> None:
    finished = SubagentFinished("s1", "done", "It is small.")
    recorder = record(CHILD, build_usage("s1"), finished, build_usage())
    assert len(recorder.take_spans()) == 4 and recorder.take_spans() == []
    metrics = {metric["name"]: metric for metric in recorder.build_metrics()}
    assert metrics["maxagent.cost"]["sum"]["dataPoints"][0]["asDouble"] == 0.5


@pytest.mark.parametrize(
    ("value", "bucket"), [(0.0, 0), (1.0, 0), (1.1, 1), (2.0, 1), (3.0, 2), (99.0, 2)]
)
def test_a_value_falls_in_one_bucket(value: float, bucket: int) -> None:
    [point] = Histogram("x", "s", (1.0, 2.0), {}, [value]).to_json(0, 1)["histogram"]["dataPoints"]
    assert point["bucketCounts"] == ["1" if number == bucket else "0" for number in range(3)]
