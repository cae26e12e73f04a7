import json
from pathlib import Path

from maxagent.config import paths
from maxagent.memory.threads.index import ThreadIndex
from maxagent.sdk.threads.trace import read_trace

THREAD = "aaaaaaaa-0000-4000-8000-000000000000"
AT = "2026-01-01T00:00:0{}+00:00"


def request(agent: str, number: int) -> dict[str, object]:
    return {"type": "request", "agent": agent, "pid": 1, "number": number, "time": AT.format(1)}


def event(kind: str, **fields: object) -> dict[str, object]:
    return {"type": "event", "time": AT.format(2), "event": {"type": kind, **fields}}


def test_parallel_children_have_a_trace_each(tmp_path: Path) -> None:
    row = ThreadIndex(tmp_path).record_thread(
        thread_id=THREAD, title="", folder="/p", graph="chat", request="", options={}
    )
    lines = [
        request("build", 1),
        event("tool_call", id="c1", tool="subagent"),
        event("subagent_started", sub_id="explore-1"),
        event("subagent_started", sub_id="explore-2"),
        request("explore-1", 2),
        request("explore-2", 3),
        event("tool_call", id="c2", tool="grep", agent="explore-1"),
        event("tool_call", id="c3", tool="glob", agent="explore-2"),
        event("tool_result", id="c2", agent="explore-1"),
        event("subagent_started", sub_id="explore-1"),
        request("explore-1", 4),
        request("build", 5),
        event("tool_call", id="c4", tool="edit", agent=""),
    ]
    log = paths.locate_request_log(tmp_path, THREAD)
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    traces = read_trace(row, tmp_path)
    assert [
        (trace.agent, [[call.name for call in span.calls] for span in trace.requests])
        for trace in traces
    ] == [
        ("build", [["subagent"]]),
        ("explore-1", [["grep"], []]),
        ("explore-2", [["glob"]]),
        ("build", [["edit"]]),
    ]
