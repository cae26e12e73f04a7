"""The numbered messages of a thread as events of AG-UI 1.0, for one run of one client.

The order is the protocol's: what was opened is closed, by whom it was opened, before a run ends.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ...sdk.streams.event_stream import HISTORY

Json = dict[str, Any]
VERSION = "1.0"
PREFIX = "mcode:"
# Types that end a run
ENDS = ("question", "completion", "interrupted", "error")
TEXT, REASONING = "TEXT_MESSAGE", "REASONING_MESSAGE"
_KINDS = {"output": (TEXT, "assistant"), "thinking": (REASONING, "reasoning")}
_ROLES = {
    "human": "user",
    "aside": "user",
    "thinking": "reasoning",
    "answer": "assistant",
    "interrupted": "assistant",
}


class RunRenderer:
    """Renders one run; what the client has of the conversation is known at each moment."""

    def __init__(self, thread_id: str, run_id: str, messages: Sequence[Json], state: Json) -> None:
        """`messages` and `state` are what the client has."""
        self._ids = {"threadId": thread_id, "runId": run_id}
        self._messages, self._state = list(messages), state
        self._texts = dict[str, tuple[str, Json]]()
        """The open text of each agent, and its kind."""
        self._steps = dict[str, None]()
        self._agents = dict[str, str]()
        self._ended_agents = set[str]()
        self._usage = dict[str, int]()
        self.own_text: str | None = None
        """The message with which the client has begun the run: it has that already."""

    def start(self) -> Json:
        """Return the first event."""
        return {"type": "RUN_STARTED", **self._ids, "protocolVersion": VERSION}

    def render(self, message: Mapping[str, Any]) -> Iterator[Json]:
        """Yield the events of a message of the thread that does not end the run."""
        kind, data = message["type"], message["data"]
        if handler := getattr(self, f"_render_{kind}", None):
            yield from handler(data, message["meta"]["seq"])
        elif kind in _KINDS:
            yield from self._add_text(kind, data, message["meta"]["seq"])
        elif kind not in ENDS:
            yield self._tag({"type": "CUSTOM", "name": PREFIX + kind, "value": data}, data)

    def finish(self, outcome: Json, result: Any = None) -> Iterator[Json]:
        """Yield the last events of a run that has not failed."""
        yield from self._close_all(outcome)
        ended = {"type": "RUN_FINISHED", **self._ids, "outcome": outcome}
        yield ended | ({"result": result} if result else {}) | self._describe_usage()

    def fail(self, reason: str, code: str) -> Json:
        """Return the last event of a run that has failed."""
        failure = {"type": "RUN_ERROR", "message": reason, "code": PREFIX + code}
        return failure | self._describe_usage()

    def _describe_usage(self) -> Json:
        names = ("input", "output", "cached")
        read, written, cached = (self._usage.get(name, 0) for name in names)
        usage = {"inputTokens": read, "outputTokens": written, "totalTokens": read + written}
        return {"usage": [{**usage, "cachedInputTokens": cached}]} if self._usage else {}

    def _close_all(self, outcome: Json) -> Iterator[Json]:
        for agent in list(self._texts):
            yield from self._close_text(agent)
        for name in list(self._steps):
            yield from self._finish_step(name)
        asked = outcome.get("interrupts", ())
        for agent, run_id in self._agents.items():
            ids = [each["id"] for each in asked if each.get("subagentRunId") == agent]
            suspended = {"type": "suspended", **({"interruptIds": ids} if ids else {})}
            yield {"type": "SUBAGENT_FINISHED", "subagentRunId": run_id, "outcome": suspended}
        self._agents = {}

    def _tag(self, event: Json, data: Mapping[str, Any]) -> Json:
        """Return the event with the sub-agent that it belongs to."""
        agent = data.get("agent")
        if not isinstance(agent, str) or not agent or event.get("subagentRunId"):
            return event
        return {**event, "subagentRunId": self._agents.get(agent, agent)}

    # texts

    def _add_text(self, kind: str, data: Mapping[str, Any], number: int) -> Iterator[Json]:
        agent, (name, role) = data.get("agent", ""), _KINDS[kind]
        if agent in self._texts and self._texts[agent][0] != name:
            yield from self._close_text(agent)
        if agent not in self._texts:
            message = self._tag({"id": f"m-{number}", "role": role, "content": ""}, data)
            self._texts[agent] = (name, message)
            self._messages.append(message)
            yield from self._open_text(name, message)
        message = self._texts[agent][1]
        message["content"] += data["text"]
        yield self._build_part(name, "CONTENT", message, delta=data["text"])

    def _open_text(self, name: str, message: Json) -> Iterator[Json]:
        if name == REASONING:
            yield self._build_part("REASONING", "START", message)
        yield self._build_part(name, "START", message, role=message["role"])

    def _close_text(self, agent: str) -> Iterator[Json]:
        if agent not in self._texts:
            return
        name, message = self._texts.pop(agent)
        yield self._build_part(name, "END", message)
        if name == REASONING:
            yield self._build_part("REASONING", "END", message)

    def _build_part(self, name: str, part: str, message: Json, **fields: Any) -> Json:
        owner = {key: message[key] for key in ("subagentRunId",) if key in message}
        return {"type": f"{name}_{part}", "messageId": message["id"], **fields, **owner}

    def _drop_text(self, agent: str) -> Iterator[Json]:
        """Take back what came of an answer that is begun again: all but that is the snapshot."""
        if agent in self._texts:
            message = self._texts[agent][1]
            yield from self._close_text(agent)
            self._messages = [each for each in self._messages if each is not message]
            yield self._build_snapshot()

    def _build_snapshot(self) -> Json:
        return {"type": "MESSAGES_SNAPSHOT", "messages": list(self._messages)}

    def _render_user_message(self, data: Mapping[str, Any], number: int) -> Iterator[Json]:
        if data["text"] == self.own_text:
            self.own_text = None
            return
        yield from self._close_text("")
        message = {"id": f"m-{number}", "role": "user", "content": data["text"]}
        self._messages.append(message)
        yield self._build_part(TEXT, "START", message, role="user")
        yield self._build_part(TEXT, "CONTENT", message, delta=data["text"])
        yield self._build_part(TEXT, "END", message)

    _render_steered = _render_user_message

    def _render_retry(self, data: Mapping[str, Any], _: int) -> Iterator[Json]:
        yield from self._drop_text(data["agent"])
        yield self._tag({"type": "CUSTOM", "name": f"{PREFIX}retry", "value": data}, data)

    def _render_model_changed(self, data: Mapping[str, Any], _: int) -> Iterator[Json]:
        yield from self._drop_text(data["agent"])
        yield self._tag({"type": "CUSTOM", "name": f"{PREFIX}model_changed", "value": data}, data)
        if not data["agent"]:
            yield self._patch("model", data["to"])

    # calls

    def _render_tool_call(self, data: Mapping[str, Any], _: int) -> Iterator[Json]:
        yield from self._close_text(data["agent"])
        if self._has_call(data["id"]):
            return  # of a run before: it is not announced again
        args = json.dumps(data["args"], ensure_ascii=False)
        call = _build_call(data["id"], data["tool"], args)
        self._messages.append(self._tag(call, data))
        part = self._tag({"toolCallId": data["id"]}, data)
        yield {"type": "TOOL_CALL_START", **part, "toolCallName": data["tool"]}
        yield {"type": "TOOL_CALL_ARGS", **part, "delta": args}
        yield {"type": "TOOL_CALL_END", **part}

    def _has_call(self, call_id: str) -> bool:
        calls = (call for each in self._messages for call in each.get("toolCalls") or ())
        return any(call.get("id") == call_id for call in calls)

    def _render_tool_result(self, data: Mapping[str, Any], _: int) -> Iterator[Json]:
        yield from self._close_text(data["agent"])
        content = "\n".join(part for part in (data["output"], data["error"]) if part)
        result = _build_result(data["id"], content, data["ok"], data["metadata"])
        result = self._tag(result, data)
        self._messages = [each for each in self._messages if each["id"] != result["id"]]
        self._messages.append(result)
        fields = {key: value for key, value in result.items() if key not in ("id", "error")}
        yield {"type": "TOOL_CALL_RESULT", "messageId": result["id"], **fields}

    # steps, sub-agents, state

    def _render_role(self, data: Mapping[str, Any], _: int) -> Iterator[Json]:
        for name in list(self._steps):
            yield from self._finish_step(name)
        yield from self._start_step(data["role"])

    def _render_verifying(self, _: Mapping[str, Any], __: int) -> Iterator[Json]:
        yield from self._start_step("tests")

    def _render_evidence(self, data: Mapping[str, Any], _: int) -> Iterator[Json]:
        yield {"type": "CUSTOM", "name": f"{PREFIX}evidence", "value": data}
        yield from self._finish_step("tests")

    def _start_step(self, name: str) -> Iterator[Json]:
        if name not in self._steps:
            self._steps[name] = None
            yield {"type": "STEP_STARTED", "stepName": name}

    def _finish_step(self, name: str) -> Iterator[Json]:
        if name in self._steps:
            del self._steps[name]
            yield {"type": "STEP_FINISHED", "stepName": name}

    def _render_subagent_started(self, data: Mapping[str, Any], _: int) -> Iterator[Json]:
        sub_id = data["sub_id"]
        if sub_id in self._agents:
            return
        # an ID is used once in a run
        run_id = f"{sub_id}:{len(self._ended_agents)}" if sub_id in self._ended_agents else sub_id
        self._agents[sub_id] = run_id
        started = {"type": "SUBAGENT_STARTED", "subagentRunId": run_id, "name": data["agent"]}
        started["description"] = data["task"]
        yield started | ({"parentToolCallId": data["call_id"]} if data["call_id"] else {})

    def _render_subagent_finished(self, data: Mapping[str, Any], _: int) -> Iterator[Json]:
        sub_id = data["sub_id"]
        yield from self._close_text(sub_id)
        if sub_id not in self._agents:
            return
        ended = {"subagentRunId": self._agents.pop(sub_id)}
        self._ended_agents.add(ended["subagentRunId"])
        if data["status"] == "failed":
            yield {"type": "SUBAGENT_ERROR", **ended, "message": data["report"] or data["status"]}
            return
        result = {name: data[name] for name in ("status", "report", "files")}
        yield {"type": "SUBAGENT_FINISHED", **ended, "result": result}

    def _render_run_started(self, data: Mapping[str, Any], _: int) -> Iterator[Json]:
        names = ("title", "folder", "model", "mode", "sandbox", "thinking", "effort")
        self._state |= {name: data[name] for name in names}
        yield {"type": "STATE_SNAPSHOT", "snapshot": dict(self._state)}

    def _render_todos(self, data: Mapping[str, Any], _: int) -> Iterator[Json]:
        if not data["agent"]:
            yield self._patch("todos", data["items"])

    def _render_mode(self, data: Mapping[str, Any], _: int) -> Iterator[Json]:
        yield self._patch("mode", data["mode"])

    def _render_token_usage(self, data: Mapping[str, Any], _: int) -> Iterator[Json]:
        yield from self._close_text(data["agent"])
        for name in ("input", "output", "cached"):
            self._usage[name] = self._usage.get(name, 0) + int(data["request"].get(name) or 0)
        if not data["agent"]:
            names = ("requests", "input", "output", "cached", "cost", "window", "context_length")
            yield self._patch("usage", {name: data[name] for name in names})

    def _render_window_length(self, _: Mapping[str, Any], __: int) -> Iterator[Json]:
        return iter(())  # `usage` of the state has it

    def _patch(self, name: str, value: Any) -> Json:
        self._state[name] = value
        return {"type": "STATE_DELTA", "delta": [{"op": "add", "path": f"/{name}", "value": value}]}

    # history

    def _render_history(self, data: Mapping[str, Any], _: int) -> Iterator[Json]:
        """Replace all that the client has; what of the run comes after is told again."""
        for agent in list(self._texts):
            yield from self._close_text(agent)
        self.own_text = None
        self._messages = list(_list_messages(data["entries"]))
        yield self._build_snapshot()
        thread: Mapping[str, Any] = data.get("thread") or {}
        self._state |= {name: thread[name] for name in ("title", "folder") if name in thread}
        yield {"type": "STATE_SNAPSHOT", "snapshot": dict(self._state)}


def is_end(message: Mapping[str, Any]) -> bool:
    """Return whether nothing of the run follows the message."""
    data = message["data"]
    thread: Mapping[str, Any] = data.get("thread") or {}
    status = thread.get("status")  # `running`: of another program
    is_over = message["type"] == HISTORY and not data["is_running"] and status != "running"
    return is_over or message["type"] in ENDS


def _build_call(call_id: str, tool: str, args: str) -> Json:
    function = {"name": tool, "arguments": args}
    calls = [{"id": call_id, "type": "function", "function": function}]
    return {"id": call_id, "role": "assistant", "toolCalls": calls}


def _build_result(call_id: str, content: str, ok: object, facts: Mapping[str, Any]) -> Json:
    diff = {"diff": facts["diff"]} if facts.get("diff") else {}
    return {
        "id": f"{call_id}-result",
        "role": "tool",
        "toolCallId": call_id,
        "content": content,
        "metadata": {"mcode": {"ok": bool(ok), **diff}},
    }


def _list_messages(entries: Sequence[Mapping[str, Any]]) -> Iterator[Json]:
    """Yield the entries of a history as messages; what is none is an activity."""
    for number, entry in enumerate(entries):
        kind, name = entry["kind"], f"e-{number}"
        if kind == "call":
            call_id = entry.get("call_id") or name
            args = json.dumps(entry.get("args") or {}, ensure_ascii=False)
            yield _build_call(call_id, entry["tool"], args)
            if entry["ok"] is not None:
                facts: Mapping[str, Any] = entry.get("facts") or {}
                content = entry.get("result", "")
                content = content if entry["ok"] else content.removeprefix("Error: ")
                yield _build_result(call_id, content, entry["ok"], facts)
        elif kind in _ROLES:
            if text := entry.get("text"):  # a stopped answer may have none
                yield {"id": name, "role": _ROLES[kind], "content": text}
        else:
            content = {key: value for key, value in entry.items() if key != "kind"}
            activity = {"id": name, "role": "activity", "activityType": PREFIX + kind}
            yield {**activity, "content": content}
