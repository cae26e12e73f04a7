"""Export of a thread as a trajectory in ATIF, the format of Harbor; does not load LangGraph.

The conversation of the thread, and that of each sub-agent as a trajectory of its own. What the
graph adds for the model, and its own test runs, are steps of `system`.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ... import __version__
from ...config.security.redaction import redact_json
from ...memory.checkpoints.packed_rows import map_texts
from ...memory.checkpoints.row_data import extract_text, filter_mappings, get_mapping, to_int
from ...memory.checkpoints.writes import ChannelWrite
from ...memory.threads.record import ThreadRow
from ...memory.threads.sub_runs import SubRun
from ..threads.children import list_children
from ..threads.transcript import HUMAN_INPUT_NODES, drop_earlier_child, read_stored_writes
from ..threads.usage import read_usage
from .card_removal import remove_cards

SCHEMA_VERSION = "ATIF-v1.8"
Step = dict[str, Any]


def export_trajectory(row: ThreadRow, home: Path) -> dict[str, Any]:
    """Return the thread as a trajectory, without secrets and memory cards."""
    children = list_children(row, home)
    steps = list(_build_steps(read_stored_writes(row, home), children))
    if not steps:
        steps = [_build_step("user", row.created_at, row.request)]
    usage = read_usage(row.thread_id, home, 0)
    metrics: dict[str, Any] = {"total_steps": len(steps)}
    if usage:
        metrics |= {
            "total_prompt_tokens": usage.input,
            "total_completion_tokens": usage.output,
            "total_cached_tokens": usage.cached,
        }
        metrics |= {"total_cost_usd": usage.cost} if usage.cost is not None else {}
    facts = {"title": row.title, "graph": row.graph, "status": row.status}
    trajectory = {
        **_build_trajectory(row.thread_id, row.thread_id, steps, facts),
        "final_metrics": metrics,
    }
    if children:
        trajectory["subagent_trajectories"] = [
            _export_child(row, home, child) for child in children
        ]
    return redact_json(map_texts(trajectory, remove_cards))


def _export_child(row: ThreadRow, home: Path, child: SubRun) -> dict[str, Any]:
    writes = drop_earlier_child(read_stored_writes(row, home, child.namespace))
    steps = list(_build_steps(writes)) or [_build_step("user", child.started_at, child.title)]
    facts = {"agent": child.agent, "title": child.title, "status": child.status}
    metrics: dict[str, Any] = {"total_steps": len(steps), "extra": {"total_tokens": child.tokens}}
    metrics |= {"total_cost_usd": child.cost} if child.cost is not None else {}
    trajectory = _build_trajectory(row.thread_id, child.sub_id, steps, facts)
    return {**trajectory, "final_metrics": metrics}


def _build_trajectory(
    session_id: str, trajectory_id: str, steps: Sequence[Step], facts: Mapping[str, Any]
) -> dict[str, Any]:
    models = [step["model_name"] for step in steps if step.get("model_name")]
    model = {"model_name": models[-1]} if models else {}
    return {
        "schema_version": SCHEMA_VERSION,
        "session_id": session_id,
        "trajectory_id": trajectory_id,
        "agent": {"name": "maxagent", "version": __version__, **model},
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, 1)],
        "extra": dict(facts),
    }


def _build_steps(writes: Sequence[ChannelWrite], children: Sequence[SubRun] = ()) -> Iterator[Step]:
    """Yield the steps without their numbers; the result of a call is in the step that made it."""
    results = {
        str(write.value.get("tool_call_id")): write.value
        for write in writes
        if write.channel == "messages" and write.value and write.value.get("type") == "tool"
    }
    for write in writes:
        match write.channel:
            case "messages" if write.value:
                yield from _build_message_steps(write, results, children)
            case "request" if write.node in ("__start__", *HUMAN_INPUT_NODES):
                yield _build_step("user", write.at, str(write.value))
            case "evidence" | "cuts":
                yield from _build_system_steps(write)
            case _:
                pass


def _build_system_steps(write: ChannelWrite) -> Iterator[Step]:
    """Yield the graph's own test run, or the summaries that the model reads from here on."""
    value = get_mapping({"value": write.value}, "value")
    if write.channel == "evidence" and value:
        text = f"tests: {value.get('command', '')}"
        yield _build_step("system", write.at, text, evidence=value)
        return
    for name in value:
        summary = str(get_mapping(value, name).get("summary", ""))
        yield _build_step("system", write.at, summary, compacted=name)


def _build_step(source: str, at: str, message: str, **extra: Any) -> Step:
    step: Step = {"timestamp": at, "source": source, "message": message}
    return {**step, "extra": extra} if extra else step


def _build_message_steps(
    write: ChannelWrite, results: Mapping[str, Mapping[str, Any]], children: Sequence[SubRun]
) -> Iterator[Step]:
    message, marks = write.value, get_mapping(write.value, "additional_kwargs")
    text = extract_text(message.get("content"))
    if message.get("type") == "human":
        is_from_user = write.node in HUMAN_INPUT_NODES or marks.get("steered") or marks.get("aside")
        yield _build_step("user" if is_from_user else "system", write.at, text)
    elif message.get("type") == "ai":
        step = _build_step("agent", write.at, text, **_list_facts(marks))
        step |= {"model_name": str(marks["model"])} if marks.get("model") else {}
        step |= _build_reasoning(marks) | _build_metrics(message)
        calls = [*filter_mappings(message.get("tool_calls"))]
        calls += filter_mappings(message.get("invalid_tool_calls"))
        yield step | (_build_calls(calls, results, children) if calls else {})


def _list_facts(marks: Mapping[str, Any]) -> dict[str, Any]:
    return {key: marks[key] for key in ("role", "step", "interrupted") if marks.get(key)}


def _build_reasoning(marks: Mapping[str, Any]) -> Step:
    text = marks.get("reasoning_content")
    return {"reasoning_content": text} if isinstance(text, str) and text else {}


def _build_metrics(message: Mapping[str, Any]) -> Step:
    usage = get_mapping(message, "usage_metadata")
    if not usage:
        return {}
    cached = get_mapping(usage, "input_token_details").get("cache_read")
    return {
        "metrics": {
            "prompt_tokens": to_int(usage.get("input_tokens")),
            "completion_tokens": to_int(usage.get("output_tokens")),
            "cached_tokens": to_int(cached),
        }
    }


def _build_calls(
    calls: Sequence[Mapping[str, Any]],
    results: Mapping[str, Mapping[str, Any]],
    children: Sequence[SubRun],
) -> Step:
    """Return the calls, and the results of those that have ended."""
    built: list[dict[str, Any]] = [
        {
            "tool_call_id": str(call.get("id")),
            "function_name": str(call.get("name") or "?"),
            "arguments": get_mapping(call, "args"),
        }
        for call in calls
    ]
    ended = [
        _build_result(call["tool_call_id"], results[call["tool_call_id"]], children)
        for call in built
        if call["tool_call_id"] in results
    ]
    observation = {"observation": {"results": ended}} if ended else {}
    return {"tool_calls": built, **observation}


def _build_result(
    call_id: str, answer: Mapping[str, Any], children: Sequence[SubRun]
) -> dict[str, Any]:
    result: dict[str, Any] = {
        "source_call_id": call_id,
        "content": extract_text(answer.get("content")),
    }
    if answer.get("status") == "error":
        result["extra"] = {"is_error": True}
    sent = [{"trajectory_id": child.sub_id} for child in children if child.call_id == call_id]
    return {**result, "subagent_trajectory_ref": sent} if sent else result
