"""The end of a task: the user keeps the result, undoes it, or continues with a comment."""

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from ..config.security.redaction import redact
from ..config.text import text
from ..memory.undo.change_chains import compute_net_changes, render_net_diff
from ..memory.undo.history import HistoryEntry
from ..memory.undo.restore import execute_plan, plan_restore
from ..memory.undo.undo_stack import find_active_entries
from .approval.decisions import parse_decisions
from .events.progress import Notice
from .outcome import evaluate_outcome, explain_outcome
from .run.context import Context, get_thread_id
from .run.emit import emit
from .run.interrupts import request_answer
from .run.message_history import build_role_message
from .run.repair_rounds import choose_worker
from .run.snapshot_recorder import build_file_state, emit_changes, take_workspace_snapshot
from .state import State

# Characters of the diff in the question itself; the whole is one command away
SHOWN_DIFF = 20_000
ReviewTransition = Command[Literal["verify", "coder", "tester", "__end__"]]
REMARK = "The user looked at the result and says:\n\n{words}"


async def review(state: State, runtime: Runtime[Context]) -> ReviewTransition:
    """Ask what to do with the result; do not ask if nothing changed or `apply` is set.

    Without git, changes are unknown: then it always asks.
    """
    is_kept = state.get("kept") or state.get("options", {}).get("apply")
    deps = await runtime.context.open_dependencies(state)
    unchanged = deps.snapshots.has_all_files and not compute_net_changes(
        await list_job_entries(state, runtime)
    )
    decision = {"type": "approve"} if is_kept or unchanged else await _ask_user(state, runtime)
    if decision.get("type") == "reject":
        return await _undo_job(state, runtime)
    if decision.get("type") == "respond":
        worker = choose_worker(state)
        remark_message = build_role_message(
            worker, REMARK.format(words=decision.get("message") or "")
        )
        undecided = {"accepted": False, "rounds": 0, "turn": state.get("turn", 1) + 1}
        message = {"messages": [remark_message], "message_id": remark_message.id}
        return Command(goto=worker, update={**message, "role": worker, **undecided})
    return await _keep_result(state, runtime)


async def _ask_user(state: State, runtime: Runtime[Context]) -> Mapping[str, Any]:
    deps = await runtime.context.open_dependencies(state)
    diff = redact(await render_net_diff(deps.snapshots, await list_job_entries(state, runtime)))
    outcome = evaluate_outcome(state)
    reason = explain_outcome(state, outcome)
    already_red = (state.get("evidence") or {}).get("already_red")
    facts = {"reason": reason, "already_red": already_red}
    args = {"outcome": outcome, "diff": diff[:SHOWN_DIFF]}
    args |= {name: fact for name, fact in facts.items() if fact}
    action = {"name": "review", "args": args}
    question = {
        "action_requests": [{**action, "description": "keep, undo, or request changes"}],
        "review_configs": [
            {"action_name": "review", "allowed_decisions": ["approve", "reject", "respond"]}
        ],
    }
    return await asyncio.to_thread(request_answer, question, _parse_decision)


def _parse_decision(answer: object) -> Mapping[str, Any] | None:
    decisions = parse_decisions(answer) or [{}]
    return decisions[0] if decisions[0].get("type") in ("approve", "reject", "respond") else None


async def _keep_result(state: State, runtime: Runtime[Context]) -> ReviewTransition:
    """Keep the result; if files changed since the tests, run the tests again."""
    deps = await runtime.context.open_dependencies(state)
    tree, evidence = (
        await take_workspace_snapshot(deps, runtime, state.get("tree", "")),
        state.get("evidence"),
    )
    files = await build_file_state(deps, runtime, tree)
    moved = evidence is not None and tree != evidence["tree"]
    if moved and evaluate_outcome(state) == "verified":
        if not state.get("kept"):
            emit(runtime, Notice("files changed after the tests ran; testing again"))
            return Command(goto="verify", update={"kept": True, **files})
        emit(
            runtime,
            Notice("files keep changing, so the test result is not for the current files"),
        )
        return Command(goto="__end__", update={**files, "outcome": "unverified"})
    return Command(
        goto="__end__", update={"kept": True, **files, "outcome": evaluate_outcome(state)}
    )


async def _undo_job(state: State, runtime: Runtime[Context]) -> ReviewTransition:
    """Undo the changes of this job; keep changes that others made to the same files."""
    deps = await runtime.context.open_dependencies(state)
    thread, turn = get_thread_id(runtime), state.get("turn", 1)
    planned = await plan_restore(deps.snapshots, await list_job_entries(state, runtime))
    done = await execute_plan(deps.snapshots, deps.history, thread, planned, "undo", turn)
    emit(runtime, Notice(text("put back: {paths}", paths=", ".join(done.paths) or "nothing")))
    for conflict in done.conflicts:
        emit(
            runtime,
            Notice(text("skipped `{path}`: {reason}", path=conflict.path, reason=conflict.reason)),
        )
    tree = await deps.snapshots.take()
    emit_changes(runtime, done.entry.changes if done.entry else (), "undo", tree)
    return Command(
        goto="__end__", update={"outcome": "undone", **await build_file_state(deps, runtime, tree)}
    )


async def list_job_entries(state: State, runtime: Runtime[Context]) -> list[HistoryEntry]:
    """Return the thread's file changes in its current job that are still in effect."""
    deps = await runtime.context.open_dependencies(state)
    entries = await asyncio.to_thread(deps.history.list_entries, get_thread_id(runtime))
    return [entry for entry in find_active_entries(entries) if entry.number > state.get("since", 0)]
