"""Traces and metrics of real runs, at a receiver that is a real server."""

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from maxagent import Runner
from maxagent.config.errors import UsageError
from maxagent.config.settings.loader import load_settings
from maxagent.config.trust.decision import trust
from maxagent.sdk.events import (
    CompactionFinished,
    Event,
    Failure,
    Notice,
    RunStarted,
    SubagentFinished,
    SubagentStarted,
    TokenUsage,
    ToolCall,
    ToolResult,
)
from maxagent.sdk.telemetry.otlp import Histogram
from maxagent.sdk.telemetry.tracing import RunRecorder

USAGE = {"input": 100, "output": 7, "cached": 60, "cost": 0.25, "seconds": 1.5}
STARTED = RunStarted("id", "title", "/x", "openai/gpt-5", "ask", resumed=False)
CALL = ToolCall("c1", "run_command", {"command": "ls"}, "build")
RESULT = ToolResult("c1", "run_command", True, "a", "", {})
CHILD_STARTED = SubagentStarted("s1", "explore", "Look.")
SENT = SubagentStarted("s1", "explore", "Look.", "c1")


def build_usage(agent: str = "") -> TokenUsage:
    return TokenUsage(1, 100, 7, 60, 0.25, 0, 1000, USAGE, agent=agent)


class Receiver:
    """A receiver of OTLP that keeps what it gets."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.status = 200
        requests, receiver = self.requests, self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                requests.append((self.path, dict(self.headers), json.loads(body)))
                self.send_response(receiver.status)
                self.send_header("Content-Length", "2")
                self.end_headers()
                self.wfile.write(b"{}")

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    @property
    def spans(self) -> list[dict[str, Any]]:
        bodies = [body for path, _, body in self.requests if path == "/v1/traces"]
        scopes = [body["resourceSpans"][0]["scopeSpans"][0] for body in bodies]
        return [span for scope in scopes for span in scope["spans"]]

    @property
    def metrics(self) -> dict[str, dict[str, Any]]:
        bodies = [body for path, _, body in self.requests if path == "/v1/metrics"]
        scopes = [body["resourceMetrics"][0]["scopeMetrics"][0] for body in bodies]
        return {metric["name"]: metric for scope in scopes for metric in scope["metrics"]}


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    opened = Receiver()
    thread = threading.Thread(target=opened.server.serve_forever, daemon=True)
    thread.start()
    yield opened
    opened.server.shutdown()
    opened.server.server_close()


SECRET = "Zq8-the-key-of-the-receiver"
LOOK = {"name": "run_command", "args": {"command": "echo $OTEL_KEY$LLC_OTEL; env"}}
CHILD = {
    "name": "subagent",
    "args": {"tasks": [{"agent_type": "explore", "task": f"Look {n}."} for n in "12"]},
}


async def run_chat(tmp_path, receiver, turns, **otel) -> Any:
    home, project = tmp_path / "home", tmp_path / "project"
    for folder in (home, project):
        folder.mkdir(exist_ok=True)
    trust(project, home)
    section = {"endpoint": receiver.url, "headers": {"x-key": SECRET}, **otel}
    (home / "config.yaml").write_text(json.dumps({"otel": section}))
    script = tmp_path / "script.json"
    script.write_text(json.dumps(turns))
    options = {"model": f"scripted/{script}", "mode": "auto"}
    async with Runner(home=home) as runner:
        events = [event async for event in runner.chat("Hi.", folder=project, options=options)]
    return events


def read_attributes(span: dict[str, Any]) -> dict[str, Any]:
    return {each["key"]: next(iter(each["value"].values())) for each in span["attributes"]}


async def test_a_run_is_one_trace_with_the_right_parents(tmp_path, receiver) -> None:
    turns = {"build": [{"tool_calls": [LOOK]}, {"text": "Done."}]}
    events = await run_chat(tmp_path, receiver, turns)
    assert events[-1].type == "completion"
    [root] = [span for span in receiver.spans if "parentSpanId" not in span]
    assert len({span["traceId"] for span in receiver.spans}) == 1
    assert root["name"] == "invoke_agent chat"
    assert read_attributes(root)["gen_ai.conversation.id"] == events[-1].thread_id
    below = [span for span in receiver.spans if span.get("parentSpanId") == root["spanId"]]
    names = sorted(span["name"].split()[0] for span in below)
    assert names == ["chat", "chat", "execute_tool"]
    for span in below:
        start, end = int(span["startTimeUnixNano"]), int(span["endTimeUnixNano"])
        assert start <= end <= int(root["endTimeUnixNano"])
    assert {*receiver.metrics} >= {
        "gen_ai.client.token.usage",
        "gen_ai.client.operation.duration",
    }


@pytest.mark.parametrize("content", [False, True])
async def test_content_is_sent_only_where_it_is_wanted(tmp_path, receiver, content) -> None:
    turns = {"build": [{"tool_calls": [LOOK]}, {"text": "The answer is forty-two."}]}
    await run_chat(tmp_path, receiver, turns, content=content)
    sent = json.dumps([body for _, _, body in receiver.requests])
    assert ("forty-two" in sent) is content
    assert ("echo $OTEL_KEY" in sent) is content


async def test_headers_reach_the_receiver_and_no_child(tmp_path, receiver) -> None:
    turns = {"build": [{"tool_calls": [LOOK]}, {"text": "Done."}]}
    events = await run_chat(tmp_path, receiver, turns, content=True)
    assert all(headers.get("x-key") == SECRET for _, headers, _ in receiver.requests)
    [result] = [event for event in events if event.type == "tool_result"]
    assert result.ok and SECRET not in result.output
    loaded = load_settings(tmp_path / "project", tmp_path / "home")
    from maxagent.config.settings.keys import hide_secrets

    assert SECRET not in json.dumps(hide_secrets(loaded.settings.model_dump()))


async def test_nothing_is_sent_unless_it_is_set(tmp_path, receiver) -> None:
    turns = {"build": [{"text": "Done."}]}
    events = await run_chat(tmp_path, receiver, turns, endpoint="")
    assert events[-1].type == "completion" and receiver.requests == []


@pytest.mark.parametrize("fault", ["refused", "no receiver", "not found", "no address", "no host"])
async def test_a_receiver_that_fails_stops_no_run(tmp_path, receiver, fault) -> None:
    receiver.status = {"refused": 401, "not found": 404}.get(fault, 200)
    endpoints = {
        "no receiver": "http://127.0.0.1:9",
        "no address": "nowhere",
        "no host": "http://host.invalid:4318",
    }
    otel = {"endpoint": endpoints[fault]} if fault in endpoints else {}
    events = await run_chat(tmp_path, receiver, {"build": [{"text": "Done."}]}, **otel)
    notices = [event.text for event in events if isinstance(event, Notice)]
    assert events[-1].type == "completion"
    assert any("traces could not be sent" in notice for notice in notices)
    assert SECRET not in " ".join(notices)


def test_a_project_cannot_say_where_traces_go(tmp_path) -> None:
    (tmp_path / "home").mkdir()
    (tmp_path / ".llc.yaml").write_text("otel: {endpoint: https://evil.example}\n")
    trust(tmp_path, tmp_path / "home")
    with pytest.raises(UsageError, match=r"\.llc\.yaml:1: `otel` can be set"):
        load_settings(tmp_path, tmp_path / "home")


CHILDREN = {
    "build": [{"tool_calls": [CHILD]}, {"text": "Done."}],
    "explore": [{"text": "It is small."}, {"text": "It is smaller."}],
}


async def test_the_children_of_a_run_are_below_it(tmp_path, receiver) -> None:
    await run_chat(tmp_path, receiver, CHILDREN)
    spans = {span["spanId"]: span for span in receiver.spans}
    children = [span for span in spans.values() if span["name"] == "invoke_agent explore"]
    assert len(children) == 2
    assert {spans[each["parentSpanId"]]["name"] for each in children} == {"execute_tool subagent"}
    below = {span["parentSpanId"] for span in spans.values() if span["name"].startswith("chat ")}
    assert below >= {each["spanId"] for each in children}


def to_base64(value: Any) -> Any:
    """IDs as protobuf's own JSON has them; OTLP writes them in hexadecimal."""
    if isinstance(value, list):
        return [to_base64(each) for each in value]
    if not isinstance(value, dict):
        return value
    ids = {"traceId", "spanId", "parentSpanId"}
    return {
        key: base64.b64encode(bytes.fromhex(each)).decode() if key in ids else to_base64(each)
        for key, each in value.items()
    }


async def test_the_messages_of_opentelemetry_accept_it(tmp_path, receiver) -> None:
    traces = pytest.importorskip("opentelemetry.proto.collector.trace.v1.trace_service_pb2")
    metrics = pytest.importorskip("opentelemetry.proto.collector.metrics.v1.metrics_service_pb2")
    parse_dict = pytest.importorskip("google.protobuf.json_format").ParseDict
    await run_chat(tmp_path, receiver, CHILDREN, content=True)
    kinds = {
        "/v1/traces": traces.ExportTraceServiceRequest,
        "/v1/metrics": metrics.ExportMetricsServiceRequest,
    }
    parsed = [parse_dict(to_base64(body), kinds[path]()) for path, _, body in receiver.requests]
    spans = [
        span
        for request in parsed
        if hasattr(request, "resource_spans")
        for span in request.resource_spans[0].scope_spans[0].spans
    ]
    assert {len(span.trace_id) for span in spans} == {16}
    assert {len(span.span_id) for span in spans} == {8}
    assert len({span.span_id for span in spans}) == len(spans) >= 7


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
        ([CHILD_STARTED, build_usage("s1")], {"chat gpt-5": "invoke_agent explore"}),
        ([CHILD_STARTED], {"invoke_agent explore": "invoke_agent chat"}),
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
    recorder = record(CHILD_STARTED, build_usage("s1"), finished, build_usage())
    assert len(recorder.take_spans()) == 4 and recorder.take_spans() == []
    metrics = {metric["name"]: metric for metric in recorder.build_metrics()}
    assert metrics["maxagent.cost"]["sum"]["dataPoints"][0]["asDouble"] == 0.5


@pytest.mark.parametrize(
    ("value", "bucket"), [(0.0, 0), (1.0, 0), (1.1, 1), (2.0, 1), (3.0, 2), (99.0, 2)]
)
def test_a_value_falls_in_one_bucket(value: float, bucket: int) -> None:
    [point] = Histogram("x", "s", (1.0, 2.0), {}, [value]).to_json(0, 1)["histogram"]["dataPoints"]
    assert point["bucketCounts"] == ["1" if number == bucket else "0" for number in range(3)]
