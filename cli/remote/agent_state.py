"""The state of a thread on a server of the Agent Protocol, as our own servers describe one."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from ...config.exit_codes import FAILED
from ...memory.checkpoints.open_questions import parse_interrupt
from ...nodes.events.union import Failure, Question, as_json
from ...sdk.interrupt_response import Answer, build_question, build_resume_value
from .connection import Json

_STATUS = {"busy": "running", "interrupted": "waiting", "error": "failed", "idle": "idle"}
_STATUS_OF_OUTCOME = {"verified": "done", "answered": "idle"}


def build_message(kind: str, data: Mapping[str, Any]) -> Json:
    """Return a message as a server of `mcode web` sends it."""
    return {"type": kind, "data": data}


def build_start(thread: Mapping[str, Any], row: Mapping[str, Any]) -> Json:
    """Return the first message of a run; the server does not say what confines commands."""
    values: Mapping[str, Any] = thread.get("values") or {}
    options: Mapping[str, Any] = values.get("options") or {}
    started = {name: row[name] for name in ("thread_id", "title", "folder")}
    started |= {name: str(options.get(name) or "default") for name in ("model", "mode")}
    resumed = bool(values.get("messages"))
    return build_message("run_started", {**started, "resumed": resumed, "sandbox": "unknown"})


def describe_failure(reason: str, thread_id: str) -> Json:
    """Return the last event of a run that failed."""
    return drop_type(as_json(Failure(reason, "", FAILED, thread_id)))


def drop_type(event: Mapping[str, Any]) -> Json:
    """Return the fields of an event without its type."""
    return {name: value for name, value in event.items() if name != "type"}


def drop_empty(values: Mapping[str, Any]) -> Json:
    """Return the values that were chosen."""
    return {name: value for name, value in values.items() if value}


def get_graph(thread: Mapping[str, Any]) -> str:
    """Return the kind of a thread."""
    metadata: Mapping[str, Any] = thread.get("metadata") or {}
    return str(metadata.get("graph_id") or "chat")


def describe_thread(thread: Mapping[str, Any]) -> Json:
    """Return a thread of the server as a list of threads shows it."""
    metadata: Mapping[str, Any] = thread.get("metadata") or {}
    values: Mapping[str, Any] = thread.get("values") or {}
    status = _STATUS.get(str(thread.get("status")), "unknown")
    if status == "idle":
        status = _STATUS_OF_OUTCOME.get(values.get("outcome", ""), values.get("outcome") or "idle")
    request = str(values.get("request") or "").strip().partition("\n")[0][:60]
    return {
        "thread_id": thread["thread_id"],
        "title": metadata.get("title") or request,
        "name": "",
        "folder": metadata.get("folder") or values.get("folder") or "",
        "graph": get_graph(thread),
        "status": status,
        "created_at": thread.get("created_at") or "",
        "updated_at": thread.get("updated_at") or "",
        "questions": len(thread.get("interrupts") or ()),
    }


def list_questions(thread_id: str, state: Mapping[str, Any]) -> list[Question]:
    """Return what a thread waits for; limits come last."""
    interrupts = [each for task in state["tasks"] for each in task.get("interrupts") or ()]
    questions = [_build_question(thread_id, each) for each in interrupts]
    return sorted(questions, key=lambda question: question.kind == "limit")


def _build_question(thread_id: str, interrupt: Mapping[str, Any]) -> Question:
    return build_question(thread_id, parse_interrupt(interrupt["id"], interrupt["value"]))


def build_resume(question: Question, answer: Answer) -> Any:
    """Return what resumes the interrupt of a question; raises UsageError."""
    if question.kind != "limit":
        return build_resume_value(answer, question.review_configs)
    return {"turns": answer.turns} if answer.turns else "go on"


def find_answer(values: Mapping[str, Any]) -> str:
    """Return the last answer of a conversation."""
    texts = [entry["text"] for entry in list_entries(values) if entry["kind"] == "answer"]
    return texts[-1] if texts else ""


def list_entries(values: Mapping[str, Any]) -> Iterator[Json]:
    """Yield the messages of a state as the entries of a transcript."""
    messages: Sequence[Mapping[str, Any]] = values.get("messages") or ()
    results = {each.get("tool_call_id"): each for each in messages if each["type"] == "tool"}
    for message in messages:
        words = _read_text(message.get("content"))
        if message["type"] in ("human", "ai") and words:
            kind = {"human": "human", "ai": "answer"}[message["type"]]
            yield {"kind": kind, "text": words, "role": str(message.get("name") or "")}
        for call in message.get("tool_calls") or ():
            result = results.get(call["id"])
            ok = None if result is None else result.get("status") != "error"
            output = _read_text(result.get("content")) if result else ""
            fields = {"tool": call["name"], "args": call["args"], "call_id": call["id"]}
            yield {"kind": "call", **fields, "ok": ok, "result": output}


def _read_text(content: object) -> str:
    if isinstance(content, str):
        return content
    blocks = cast("list[Any]", content) if isinstance(content, list) else []
    texts = [cast("Json", block).get("text", "") for block in blocks if isinstance(block, dict)]
    return "".join(map(str, texts))
