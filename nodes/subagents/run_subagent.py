"""The node `subagent`: runs one child of the thread, from its task to its report.

LangGraph runs this function again from its top at each resume, also when only another child was
answered, so everything before the child's graph must be repeatable. The child's own graph continues
where it stopped.
"""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast

from langchain_core.messages import AIMessage, AnyMessage
from langchain_core.runnables import RunnableConfig
from langgraph.config import get_config
from langgraph.errors import GraphDrained, GraphInterrupt
from langgraph.runtime import Runtime
from langgraph.types import Command, StateSnapshot

from ...config.errors import UsageError
from ...config.security.private_files import make_private_folder
from ...config.security.redaction import redact
from ...memory.journal import SECOND_RUN
from ...memory.threads.sub_runs import SubRun, SubRuns
from ...memory.undo.change_chains import compute_net_changes
from ...tools.process.output_capture import get_output_path, make_output_id
from ..children.slots import ChildSlots
from ..children.task import Report, SubagentTask, make_report_key
from ..events.agent import ReportStatus, SubagentFinished, SubagentStarted
from ..run.agent import CHILD_TURNS
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.emit import emit
from ..run.interrupts import name_asker
from ..run.limits import NOTHING_USED
from ..run.message_history import iter_newest_first
from ..state import State
from .budget import compute_deadline
from .calls import open_sub_runs
from .child_state import ChildState, build_child_input
from .payload import move_task

if TYPE_CHECKING:
    from ...memory.worktrees.record import Worktree
    from .isolation import MergedChild


# Where LangGraph has the saver of a running graph; a nested graph has none of its own
_CHECKPOINTER = "__pregel_checkpointer"
MAX_TITLE_LENGTH = 80
MAX_REPORT_LENGTH = 500

MAX_SENT_REPORT = 8_000
MAX_FILES = 50
CUT = "\n\n[Cut here: {length} characters; command_output with id `{id}` has all of it.]"
NO_REPORT = "It ended without a report."
FAILED = "It did not finish: {reason}"


class ReadableGraph(Protocol):
    """A graph whose state can be read."""

    async def aget_state(self, config: RunnableConfig, /) -> StateSnapshot:
        """Return the state at the end of this namespace."""
        ...


async def load_earlier(
    task: SubagentTask, child: ReadableGraph, sub_runs: SubRuns, thread: str
) -> ChildState | None:
    """Return the last state of the child that the task resumes; None if it resumes none."""
    sub_id = task["child"].get("resume", "")
    row = await asyncio.to_thread(sub_runs.find_sub_run, thread, sub_id) if sub_id else None
    if row is None:
        return None
    configurable: dict[str, Any] = get_config().get("configurable", {})
    target = {
        "thread_id": thread,
        "checkpoint_ns": row.namespace,
        _CHECKPOINTER: configurable.get(_CHECKPOINTER),
    }
    state = await child.aget_state({"configurable": target})
    return cast(ChildState, state.values)


class ChildGraph(ReadableGraph, Protocol):
    """The compiled graph of a child."""

    async def ainvoke(self, input: Any, /, *, context: Any) -> Any:
        """Run it to its end, or continue it."""
        ...


async def run_subagent(
    task: SubagentTask, runtime: Runtime[Context], child: ChildGraph
) -> Command[Literal["reports"]]:
    """Run the child and hand over its report."""
    thread_id = get_thread_id(runtime)
    deps = await runtime.context.open_dependencies(build_agent_state(task))
    slots = open_slots(runtime, deps, thread_id)
    try:
        async with slots.take():
            report = await _run_child(task, runtime, child, deps)
    except GraphDrained:
        await slots.wait_idle()
        raise
    key = make_report_key(task["call_id"], task["child"]["position"])
    return Command(goto="reports", update={"reports": {key: report}})


def build_agent_state(task: SubagentTask) -> State:
    """Return the state that opens the child's agent."""
    folder, options = task["folder"], task["options"]
    return State(request=task["child"]["task"], folder=folder, options=options, mcp=task["mcp"])


def open_slots(runtime: Runtime[Context], deps: Dependencies, thread_id: str) -> ChildSlots:
    """Return the slots of the thread's children."""
    limit = deps.settings.agents.max_parallel
    return runtime.context.pool.child_slots.setdefault(thread_id, ChildSlots(limit))


async def _run_child(
    task: SubagentTask, runtime: Runtime[Context], child: ChildGraph, deps: Dependencies
) -> Report:
    if runtime.drain_requested:  # the run was stopped while this child waited for a slot
        raise GraphDrained(runtime.drain_reason or "")
    thread_id = get_thread_id(runtime)
    async with runtime.context.pool.child_slots[
        thread_id
    ].start_lock:  # in the order of their tasks
        sub_runs = await asyncio.to_thread(open_sub_runs, deps)
        row = await asyncio.to_thread(_record_start, sub_runs, task, runtime)
    _emit_started(task, row, runtime)
    earlier = await load_earlier(task, child, sub_runs, thread_id)
    worktree = await _open_worktree(task, row, deps, runtime) if _is_isolated(task) else None
    child_task = move_task(task, worktree) if worktree else task
    turns = _count_turns(task, deps)
    try:
        final = await child.ainvoke(
            build_child_input(child_task, turns, earlier),
            context=_build_context(runtime, row.sub_id),
        )
    except GraphInterrupt as interrupt:
        await asyncio.to_thread(sub_runs.set_status, thread_id, row.sub_id, "waiting")
        raise name_asker(interrupt, row.sub_id) from None
    merged = await _merge(worktree, task, row, deps, runtime) if worktree else None
    report = await build_report(task, row, cast(ChildState, final), deps, runtime, merged)
    await asyncio.to_thread(_record_end, sub_runs, row, report)
    _emit_finished(runtime, report)
    return report


def _count_turns(task: SubagentTask, deps: Dependencies) -> int:
    """Return the child's limit of model turns; an invalid agent fails in its own node."""
    try:
        child_profile = deps.agents.find(task["child"]["agent"])
        profile = child_profile.with_parent(deps.agents.find(task["options"].get("sender", "")))
    except UsageError:
        return CHILD_TURNS
    return min(CHILD_TURNS, deps.turns, profile.steps or deps.turns)


def _is_isolated(task: SubagentTask) -> bool:
    return task["child"].get("isolated", False)


async def _open_worktree(
    task: SubagentTask, row: SubRun, deps: Dependencies, runtime: Runtime[Context]
) -> "Worktree":
    from .isolation import open_worktree

    return await open_worktree(task, row, deps, runtime)


async def _merge(
    worktree: "Worktree",
    task: SubagentTask,
    row: SubRun,
    deps: Dependencies,
    runtime: Runtime[Context],
) -> "MergedChild":
    from .isolation import merge_child

    return await merge_child(worktree, task, row, deps, runtime)


def _record_start(sub_runs: SubRuns, task: SubagentTask, runtime: Runtime[Context]) -> SubRun:
    """Record the child's start; a child that waited for an answer is running again."""
    child, info = task["child"], runtime.execution_info
    row = sub_runs.begin(
        get_thread_id(runtime),
        task["call_id"],
        child["position"],
        namespace=info.checkpoint_ns if info else "",
        agent=child["agent"],
        title=_make_title(child["task"]),
    )
    if row.status == "waiting":
        sub_runs.set_status(row.thread_id, row.sub_id, "running")
    return row


def _make_title(task: str) -> str:
    line = redact(task).splitlines()[0].strip()
    return line if len(line) <= MAX_TITLE_LENGTH else f"{line[: MAX_TITLE_LENGTH - 1]}…"


def _build_context(runtime: Runtime[Context], sub_id: str) -> Context:
    """Return the context of the child's nodes: its events carry its ID."""
    context = runtime.context
    return replace(
        context, sub_id=sub_id, writer=runtime.stream_writer, deadline=compute_deadline(context)
    )


def _record_end(sub_runs: SubRuns, row: SubRun, report: Report) -> None:
    usage = report["usage"]
    sub_runs.finish(
        row.thread_id,
        row.sub_id,
        report["status"],
        requests=usage["requests"],
        tokens=usage["input"] + usage["output"],
        cost=usage["cost"],
        report=report["text"],
    )


def _emit_started(task: SubagentTask, row: SubRun, runtime: Runtime[Context]) -> None:
    """Emit that the child has started, once in a run."""
    slots = runtime.context.pool.child_slots[row.thread_id]
    if row.sub_id in slots.announced:
        return
    slots.announced.add(row.sub_id)
    emit(
        runtime,
        SubagentStarted(
            sub_id=row.sub_id, agent=row.agent, task=task["child"]["task"], call_id=row.call_id
        ),
    )


def _emit_finished(runtime: Runtime[Context], report: Report) -> None:
    emit(
        runtime,
        SubagentFinished(
            sub_id=report["sub_id"],
            status=report["status"],
            report=report["text"][:MAX_REPORT_LENGTH],
            usage=dict(report["usage"]),
            files=report["files"],
        ),
    )


async def build_report(
    task: SubagentTask,
    row: SubRun,
    final: ChildState,
    deps: Dependencies,
    runtime: Runtime[Context],
    merged: "MergedChild | None" = None,
) -> Report:
    """Build the report of a child that has ended; the whole text goes to a file.

    `merged`: the merge of its worktree, if it had one.
    """
    child, before = task["child"], task["file_entry"]
    status = final.get("status", "failed")
    answer = redact(_find_answer(final))
    shown_text = await asyncio.to_thread(
        shorten_report, answer, deps.locate_outputs(get_thread_id(runtime)), row.sub_id
    )
    messages = final.get("messages", [])
    if merged:
        files, shown_text = [*merged.files], "\n\n".join(filter(None, [merged.remark, shown_text]))
    else:
        files = await asyncio.to_thread(_list_files, messages, before, deps, runtime)
    return Report(
        call_id=task["call_id"],
        notice=task["notice"],
        position=child["position"],
        count=child["count"],
        sub_id=row.sub_id,
        status=status,
        text=_format_report(row.sub_id, status, files, shown_text),
        files=files,
        usage=final.get("usage", NOTHING_USED),
        allowed=final.get("allowed", []),
        tree=merged.tree if merged else final.get("tree", ""),
        file_entry=merged.file_entry if merged else final.get("file_entry", before),
        proven=not merged.files if merged else final.get("proven", True),
    )


def shorten_report(text: str, outputs: Path, sub_id: str) -> str:
    """Return a report as the parent reads it; a long one is also stored as a file. Blocks."""
    if len(text) <= MAX_SENT_REPORT:
        return text
    output_id = make_output_id(sub_id)
    with suppress(OSError):
        make_private_folder(outputs)
        get_output_path(outputs, output_id).write_text(text, encoding="utf-8")
    remark = CUT.format(length=len(text), id=output_id)
    return text[: MAX_SENT_REPORT - len(remark)] + remark


def _find_answer(final: ChildState) -> str:
    """Return the child's last answer, and the reason if it failed."""
    answer = final.get("summary", "").strip()
    if not answer:
        newest = iter_newest_first(final, "agent")
        answer = next((str(m.text) for m in newest if isinstance(m, AIMessage) and m.text), "")
    failure = final.get("failure", "")
    parts = [FAILED.format(reason=failure) if failure else "", answer.strip()]
    return "\n\n".join(filter(None, parts)) or NO_REPORT


def _format_report(sub_id: str, status: ReportStatus, files: Sequence[str], text: str) -> str:
    remainder = [f"{len(files) - MAX_FILES} more"] if len(files) > MAX_FILES else []
    listed_files = [*files[:MAX_FILES], *remainder]
    changed = f"; files changed: {', '.join(listed_files)}" if files else ""
    return f"[{sub_id}: {status}{changed}]\n{text}"


def _list_files(
    messages: Sequence[AnyMessage], before: int, deps: Dependencies, runtime: Runtime[Context]
) -> list[str]:
    """List the files that the child's own calls have changed."""
    calls = {
        str(call["id"])
        for message in messages
        if isinstance(message, AIMessage)
        for call in message.tool_calls
    }
    entries = deps.history.list_entries(get_thread_id(runtime), before)
    child_entries = [entry for entry in entries if entry.key.removesuffix(SECOND_RUN) in calls]
    return [change.path for change in compute_net_changes(child_entries)]
