"""What the user asks for later: a new job on an ended thread, messages while the model works."""

from typing import TYPE_CHECKING, Any

from langchain_core.messages import AnyMessage, ToolMessage
from langgraph.runtime import Runtime

from ...config.text import text
from ..events.progress import Mentioned, Notice, Steered
from ..messages.images import list_unsupported_images
from ..roles import RoleName
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.emit import emit
from ..run.message_history import build_role_message, iter_newest_first
from ..state import State

if TYPE_CHECKING:
    from .file_mentions import MentionedFiles


def build_job_update(state: State, role: RoleName, handoff: str) -> dict[str, Any]:
    """Return the state changes for a job that starts with this role and this message.

    Studio starts one on a thread that had ended; the conversation is kept.
    """
    message = build_role_message(role, handoff)
    return {
        "messages": [message],
        "message_id": message.id,
        "role": role,
        "steps_allowed": 0,
        "cost_allowed": 0.0,
        "turn": state.get("turn", 1) + 1,
        "thinking": None,
        "since": state.get("file_entry", 0),
        "queue": [],
        "summary": "",
        "evidence": None,
        "accepted": False,
        "kept": False,
        "rounds": 0,
        "outcome": None,
        **({"fallback": ""} if state.get("fallback") else {}),
        **({"compaction": None} if state.get("compaction") else {}),
    }


async def receive_steering(
    state: State, runtime: Runtime[Context], role: RoleName, deps: Dependencies
) -> list[AnyMessage]:
    """Return what the user sent meanwhile, with the mentioned files; only after tool results.

    The node commits it before the next request, so neither a kill nor a failure loses it. Only when
    it runs again, with the message in the thread, it announces the message.
    """
    if role == "agent":  # the user's words are for its parent
        return []
    queue, thread = runtime.context.steering, get_thread_id(runtime)
    if queue.has_unconfirmed(thread):
        message_ids = {str(message.id) for message in state.get("messages", [])}
        for message in queue.confirm(message_ids):
            emit(runtime, Steered(id=message.id, text=message.text))
    if not isinstance(next(iter_newest_first(state, role), None), ToolMessage):
        return []
    received: list[AnyMessage] = []
    for message in queue.take(thread):
        from .file_mentions import read_mentioned_files

        mentioned = await read_mentioned_files(message.text, role, deps, thread)
        steering = build_role_message(role, message.text)
        steering.id = message.id
        steering.additional_kwargs["steered"] = True
        announce_mentions(runtime, mentioned, deps)
        received += [*mentioned.notes, steering]
    return received


def announce_mentions(
    runtime: Runtime[Context], mentioned: "MentionedFiles", deps: Dependencies
) -> None:
    """Tell which files the model is shown, and which images it cannot see."""
    if mentioned.shown or mentioned.left_out:
        emit(runtime, Mentioned(shown=mentioned.shown, left_out=mentioned.left_out))
    if images := list_unsupported_images(mentioned.notes, deps.model):
        notice = text(
            "`{model}` does not see images; it gets the name and the size of {names}; "
            "`model.models.{model}.vision: true` says that it does see",
            model=deps.model.name,
            names=images,
        )
        emit(runtime, Notice(notice))
