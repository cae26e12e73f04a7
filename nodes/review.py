"""The end of a task: the human keeps the result, undoes it, or goes on with a remark."""

from collections.abc import Mapping
from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from .asking import newest_answer
from .context import Context
from .conversation import brief
from .decisions import decisions_in
from .snapshot import current_tree, span
from .state import Outcome, State
from .tell import tell
from .workbench import workbench

SHOWN_DIFF = 20_000
"""Characters of the diff in the question itself; the whole is one command away."""
Reviewed = Command[Literal["verify", "coder", "__end__"]]
REMARK = "The user looked at the result and says:\n\n{words}"


async def review(state: State, runtime: Runtime[Context]) -> Reviewed:
    """Ask what becomes of the result; without changes, or with `apply`, nothing is asked.

    Without git nobody can say whether there are changes: then it is always asked.
    """
    kept = state.get("kept") or state.get("options", {}).get("apply")
    base, tree = span(state)
    unchanged = bool(tree) and base == tree
    decision = {"type": "approve"} if kept or unchanged else await _ask(state, runtime)
    if decision.get("type") == "reject":
        return await _undo(state, runtime)
    if decision.get("type") == "respond":
        told = brief("coder", REMARK.format(words=decision.get("message") or ""))
        return Command(
            goto="coder",
            update={"messages": [told], "accepted": False, "rounds": 0, "role": "coder"},
        )
    return await _keep(state, runtime)


async def _ask(state: State, runtime: Runtime[Context]) -> Mapping[str, Any]:
    bench = await workbench(state["folder"], state.get("options", {}), runtime.context)
    base, tree = span(state)
    diff = await bench.snapshots.diff(base, tree) if bench.snapshots else ""
    action = {"name": "review", "args": {"outcome": outcome(state), "diff": diff[:SHOWN_DIFF]}}
    question = {
        "action_requests": [{**action, "description": "keep, undo, or go on with a remark"}],
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
    tree, evidence = await current_tree(state, runtime), state.get("evidence")
    moved = evidence is not None and tree != evidence["tree"]
    if moved and outcome(state) == "verified":
        if not state.get("kept"):
            tell(runtime, "notice", text="files changed since the tests ran: testing again")
            return Command(goto="verify", update={"kept": True, "tree": tree})
        tell(
            runtime, "notice", text="files keep changing: the evidence is not of what is there now"
        )
        return Command(goto="__end__", update={"tree": tree, "outcome": "unverified"})
    return Command(goto="__end__", update={"kept": True, "tree": tree, "outcome": outcome(state)})


async def _undo(state: State, runtime: Runtime[Context]) -> Reviewed:
    """Take back what the thread changed; files that somebody else changed are left alone."""
    bench = await workbench(state["folder"], state.get("options", {}), runtime.context)
    if bench.snapshots:
        theirs = state.get("theirs", [])
        restored = await bench.snapshots.restore(*span(state), keep=theirs)
        tell(runtime, "notice", text=f"put back: {', '.join(restored.paths) or 'nothing'}")
        for path in restored.conflicts:
            tell(runtime, "notice", text=f"`{path}` was changed by others too and is left as it is")
    return Command(goto="__end__", update={"outcome": "undone"})


def outcome(state: State) -> Outcome:
    """How the task stands: `verified` only with passing evidence that the tester accepted."""
    evidence = state.get("evidence")
    if state.get("options", {}).get("skip_tests") or evidence is None:
        return "unverified"
    if evidence["verdict"] == "failed" or not state.get("accepted"):
        return "failed"
    return "verified" if evidence["verdict"] == "passed" else "unverified"
