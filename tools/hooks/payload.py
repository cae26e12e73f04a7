"""What a hook reads on stdin: one JSON object with our fields and Claude Code's."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...config.settings.hook_entries import CLAUDE_EVENTS, HookEvent
from ..result import CallResult
from .matching import get_claude_name

# Claude Code's tools that name one file, as `file_path`
_WITH_FILE = ("Read", "Write", "Edit")


@dataclass(frozen=True)
class HookedCall:
    """A tool call, as a hook sees it."""

    id: str
    tool: str
    args: Mapping[str, object]
    paths: Sequence[str] = ()
    """The files that it names, relative to the project."""


def build_payload(event: HookEvent, thread: str, folder: Path) -> dict[str, object]:
    """Return the fields of every event."""
    return {
        "event": event,
        "thread": thread,
        "folder": str(folder),
        "session_id": thread,
        "cwd": str(folder),
        "hook_event_name": CLAUDE_EVENTS[event],
    }


def build_call_fields(call: HookedCall, folder: Path) -> dict[str, object]:
    """Return the fields of a call."""
    return {
        "call": call.id,
        "tool": call.tool,
        "args": dict(call.args),
        "files": list(call.paths),
        "tool_use_id": call.id,
        "tool_name": get_claude_name(call.tool),
        "tool_input": _build_claude_input(call, folder),
    }


def build_result_fields(result: CallResult) -> dict[str, object]:
    """Return the fields of a result."""
    answer = {"ok": result.ok, "output": result.output, "error": result.error}
    return {
        "result": answer,
        "tool_response": {"success": result.ok, "stdout": result.output, "stderr": result.error},
    }


def build_start_fields() -> dict[str, object]:
    """Return the fields of a thread's start."""
    return {"source": "startup"}


def build_stop_fields(answer: str, *, again: bool) -> dict[str, object]:
    """Return the fields of a turn's end; `again`: a hook has let the model go on before."""
    return {"answer": answer, "last_assistant_message": answer, "stop_hook_active": again}


def _build_claude_input(call: HookedCall, folder: Path) -> dict[str, object]:
    """Return the arguments; where Claude Code's tool has `file_path`, with its absolute path."""
    first = next(iter(call.paths), "")
    if not first or get_claude_name(call.tool) not in _WITH_FILE:
        return dict(call.args)
    return {**call.args, "file_path": str(folder / first)}
