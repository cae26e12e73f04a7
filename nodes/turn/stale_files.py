"""Notes to a role about files that no longer match its conversation, after undo or fork."""

import asyncio

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from ..roles import RoleName
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.modes import build_note
from ..state import State

MAX_NAMES = 20
MOVED = (
    "These files have changed since your last step, because the user changed or put back files, or "
    "went back in the conversation: {names}. Read them again before you rely on what they hold."
)
# A sub-agent works beside others
MOVED_BESIDE = (
    "These files have changed since your last step, by another agent or the user: {names}. Read "
    "them again before you rely on what they hold."
)


async def report_stale_files(
    state: State, runtime: Runtime[Context], deps: Dependencies, role: RoleName
) -> list[HumanMessage]:
    """Return the notes; usually none, as each step knows its own changes."""
    last_entry = state.get("file_entry", 0)
    entries = await asyncio.to_thread(deps.history.list_entries, get_thread_id(runtime), last_entry)
    if not entries:
        return []
    from ...memory.undo.change_chains import compute_net_changes

    names = [f"`{change.path}`" for change in compute_net_changes(entries)]
    if not names:
        return []
    more = [f"and {len(names) - MAX_NAMES} more"] if len(names) > MAX_NAMES else []
    words = MOVED_BESIDE if role == "agent" else MOVED
    return [build_note(role, words.format(names=", ".join([*names[:MAX_NAMES], *more])))]
