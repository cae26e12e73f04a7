"""The end of a task: the human keeps the result, undoes it, or goes on with a remark."""

import asyncio
from collections.abc import Mapping
from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from ..config.security.redaction import redacted
from ..memory.undo.change_chains import net_changes, net_diff
from ..memory.undo.history import Entry
from ..memory.undo.restore import carry_out, plan
from ..memory.undo.undo_stack import active
from .agent.dependencies import thread_id, workbench
from .agent.emit import tell
from .agent.message_history import brief
from .agent.snapshot_recorder import look, stand, tell_changes
from .approval.decisions import decisions_in
from .approval.interrupts import newest_answer
from .context import Context
from .state import Outcome, State

SHOWN_DIFF = 20_000
"""Characters of the diff in the question itself; the whole is one command away."""
Reviewed = Command[Literal["verify", "coder", "__end__"]]
REMARK = "The user looked at the result and says:\n\n{words}"


async def review(state: State, runtime: Runtime[Context]) -> Reviewed:
    """Ask what becomes of the result; without changes, or with `apply`, nothing is asked.

    Without git nobody can say whether there are changes: then it is always asked.
    """
    kept = state.get("kept") or state.get("options", {}).get("apply")
    bench = await workbench(state["folder"], state.get("options", {}), runtime.context)
    unchanged = bench.snapshots.sees_commands and not net_changes(await done_since(state, runtime))
    decision = {"type": "approve"} if kept or unchanged else await _ask(state, runtime)
    if decision.get("type") == "reject":
        return await _undo(state, runtime)
    if decision.get("type") == "respond":
        told = brief("coder", REMARK.format(words=decision.get("message") or ""))
        undecided = {"accepted": False, "rounds": 0, "turn": state.get("turn", 1) + 1}
        return Command(goto="coder", update={"messages": [told], "role": "coder", **undecided})
    return await _keep(state, runtime)


async def _ask(state: State, runtime: Runtime[Context]) -> Mapping[str, Any]:
    bench = await workbench(state["folder"], state.get("options", {}), runtime.context)
    diff = redacted(await net_diff(bench.snapshots, await done_since(state, runtime)))
    action = {"name": "review", "args": {"outcome": outcome(state), "diff": diff[:SHOWN_DIFF]}}
    question = {
        "action_requests": [{**action, "description": "keep, undo, or request changes"}],
        "review_configs": [
            {"action_name": "review", "allowed_decisions": ["approve", "reject", "respond"]}
        ],
    }
    return newest_answer(question, _decision)


def _decision(answer: object) -> Mapping[str, Any] | None:
    decisions = decisions_in(answer) or [{}]
    return decisions[0] if decisions[0].get("type") in ("approve", "reject", "respond") else None


async def _keep(state: State, runtime: Runtime[Context]) -> Reviewed:
    """The evidence must be of the files as they are now: changed since, they are tested again."""
    bench = await workbench(state["folder"], state.get("options", {}), runtime.context)
    tree, evidence = await look(bench, runtime, state.get("tree", "")), state.get("evidence")
    files = await stand(bench, runtime, tree)
    moved = evidence is not None and tree != evidence["tree"]
    if moved and outcome(state) == "verified":
        if not state.get("kept"):
            tell(runtime, "notice", text="files changed after the tests ran; testing again")
            return Command(goto="verify", update={"kept": True, **files})
        tell(
            runtime,
            "notice",
            text="files keep changing, so the test result is not for the current files",
        )
        return Command(goto="__end__", update={**files, "outcome": "unverified"})
    return Command(goto="__end__", update={"kept": True, **files, "outcome": outcome(state)})


async def _undo(state: State, runtime: Runtime[Context]) -> Reviewed:
    """Take back what this job did; what others did to the same files meanwhile is kept."""
    bench = await workbench(state["folder"], state.get("options", {}), runtime.context)
    thread, turn = thread_id(runtime), state.get("turn", 1)
    planned = await plan(bench.snapshots, await done_since(state, runtime))
    done = await carry_out(bench.snapshots, bench.history, thread, planned, "undo", turn)
    tell(runtime, "notice", text=f"put back: {', '.join(done.paths) or 'nothing'}")
    for conflict in done.conflicts:
        tell(runtime, "notice", text=f"skipped `{conflict.path}`: {conflict.reason}")
    tree = await bench.snapshots.take()
    tell_changes(runtime, done.entry.changes if done.entry else (), "undo", tree)
    return Command(
        goto="__end__", update={"outcome": "undone", **await stand(bench, runtime, tree)}
    )


async def done_since(state: State, runtime: Runtime[Context]) -> list[Entry]:
    """What the thread did to files in its current job and what is still in effect of it."""
    bench = await workbench(state["folder"], state.get("options", {}), runtime.context)
    entries = await asyncio.to_thread(bench.history.entries, thread_id(runtime))
    return [entry for entry in active(entries) if entry.number > state.get("since", 0)]


def outcome(state: State) -> Outcome:
    """How the task stands: `verified` only with passing evidence that the tester accepted."""
    evidence = state.get("evidence")
    if state.get("options", {}).get("skip_tests") or evidence is None:
        return "unverified"
    if evidence["verdict"] == "failed" or not state.get("accepted"):
        return "failed"
    return "verified" if evidence["verdict"] == "passed" else "unverified"
