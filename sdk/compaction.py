"""Compaction at the user's request, and its undoing: neither counts as a model turn."""

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.types import Command, StateSnapshot

from ..config.errors import UsageError
from ..config.security.redaction import redact
from ..config.text import text
from ..memory.threads.index import ThreadIndex
from ..memory.threads.lease import acquire_lease, has_crashed
from ..memory.threads.record import ThreadRow
from ..nodes.conversation.cut import CompactionRequest
from ..nodes.conversation.token_estimate import TokenCount, count_used, estimate_tokens
from ..nodes.conversation.view import build_view
from ..nodes.roles import RoleName
from ..nodes.run.agent import load_agent
from ..nodes.run.context import Context
from ..nodes.run.message_history import select_conversation
from ..nodes.run.modes import get_mode
from ..nodes.state import State
from ..nodes.turn.size_check import find_budget, find_cut
from .cancel_shield import run_shielded
from .events import Event, parse_event
from .graph_registry import CHAT, Job, find_job
from .outcome import find_question
from .run import Graph
from .tracing import disable_tracing


@dataclass(frozen=True)
class Compactor:
    """Compacts threads of one home that are at rest."""

    home: Path
    graph_of: Callable[[Job], Graph]
    create_context: Callable[[], Context]

    async def compact(self, thread: str, focus: str) -> AsyncGenerator[Event]:
        """Compact the thread's conversation, and yield the events of it; what comes next stays.

        Raises UsageError if a question or a call is open, or nothing was said yet.
        """
        threads = ThreadIndex(self.home)
        row = threads.find(thread)
        graph = await asyncio.to_thread(self.graph_of, find_job(row.graph))
        config = _build_config(row)
        with acquire_lease(self.home, row.thread_id), disable_tracing():
            role = _find_role(row, await graph.aget_state(config), self.home)
            request = CompactionRequest(
                role=role, reason="user", focus=redact(focus.strip()), tokens=0, attempt=1
            )
            command: Command[str] = Command(goto="compact", update={"compaction": request})
            await graph.aupdate_state(config, command, as_node=role)
            # a kill must not look as if the thread had gone on elsewhere
            await asyncio.to_thread(threads.set_status, row.thread_id, row.status)
            stream = graph.astream(  # pyright: ignore[reportUnknownMemberType]
                None,
                config,
                context=self.create_context(),
                stream_mode=["custom"],
                version="v2",
                durability="sync",
                interrupt_after=["compact"],  # the role's turn comes with the next run
            )
            try:
                async with aclosing(cast("AsyncGenerator[dict[str, Any]]", stream)) as parts:
                    async for part in parts:
                        yield parse_event(part["data"])
            finally:  # a stopped compaction can be asked for again
                await run_shielded(asyncio.to_thread(threads.set_status, row.thread_id, row.status))

    async def uncompact(self, thread: str) -> bool:
        """Send the whole conversation again; return whether anything was left out.

        Raises UsageError as `compact`, and if it does not fit: it would be compacted at once, and
        the summary be lost.
        """
        threads = ThreadIndex(self.home)
        row = threads.find(thread)
        graph = await asyncio.to_thread(self.graph_of, find_job(row.graph))
        config = _build_config(row)
        with acquire_lease(self.home, row.thread_id), disable_tracing():
            state = await graph.aget_state(config)
            role = _find_role(row, state, self.home)
            cuts = dict.fromkeys(state.values.get("cuts", {}))
            if cuts:
                await _check_fits(cast(State, state.values), role, self.create_context())
                update = {"cuts": cuts, "compaction": None}
                goto = role if state.next else ()
                command: Command[str] = Command(goto=goto, update=update)
                await graph.aupdate_state(config, command, as_node=role)
                await asyncio.to_thread(threads.set_status, row.thread_id, row.status)
            return bool(cuts)


async def _check_fits(state: State, role: RoleName, context: Context) -> None:
    """Raise UsageError if the whole conversation would be compacted at the next request."""
    agent = await load_agent(role, state, context, state.get("fallback", ""))
    if not agent.deps.settings.context.auto_compact:
        return
    budget = find_budget(state, agent)
    messages, cut = select_conversation(state, role), find_cut(state, role)
    # the newest answer reports the size of what it was sent, which was less
    scale = count_used(build_view(messages, cut), cut, budget.fixed).scale
    used = round((budget.fixed + estimate_tokens(messages)) * scale)
    if not budget.fits(TokenCount(used, scale, False)):
        raise UsageError(
            text(
                "the whole conversation does not fit: {used} tokens, the limit is {limit}",
                used=f"{used:,}",
                limit=f"{budget.limit:,}",
            ),
            hint="it would be compacted again at once; `mcode threads show` has all of it",
        )


def _build_config(row: ThreadRow) -> RunnableConfig:
    return {"configurable": {"thread_id": row.thread_id}}


def _find_role(row: ThreadRow, state: StateSnapshot, home: Path) -> RoleName:
    """Return the role whose conversation is meant: the next one, else the last one."""
    thread, roles = row.thread_id[:8], find_job(row.graph).roles
    question = find_question(row.thread_id, state)
    is_waiting = question is not None and question.kind != "limit"
    is_ended = not state.next
    next_node = state.tasks[0].name if len(state.tasks) == 1 and not state.tasks[0].result else ""
    stopped = _find_stopped_request(state) if next_node == "compact" else None
    at_role = next_node in roles or stopped is not None
    if is_waiting or not (is_ended or at_role) or has_crashed(home, row.thread_id):
        raise UsageError(
            text("thread `{thread}` waits for an answer", thread=thread)
            if is_waiting
            else text("thread `{thread}` was cut short", thread=thread),
            hint=text("continue it with `mcode resume {thread}`", thread=thread),
        )
    if not state.values.get("steps"):
        raise UsageError(
            text("thread `{thread}` has no answer of a model yet", thread=thread),
            hint="send a message first; there is nothing to compact yet",
        )
    if stopped:
        return stopped["role"]
    if not is_ended:
        return cast(RoleName, next_node)
    if find_job(row.graph) is CHAT:
        return get_mode(state.values.get("options", {}))
    return state.values["role"]


def _find_stopped_request(state: StateSnapshot) -> CompactionRequest | None:
    """Return the user's request whose compaction was stopped or killed; None if there is none."""
    request = cast(State, state.values).get("compaction")
    return request if request and request["reason"] == "user" else None
