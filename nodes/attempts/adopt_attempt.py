"""The end of several attempts: merges the changes of the best one into the project, as one entry.

Repeated after a kill, it finishes the merge. It removes the worktrees; the attempts stay as
threads, and their changes are saved as files of this thread.
"""

import asyncio
import re
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from langgraph.runtime import Runtime
from langgraph.types import Command

from ...config.security.private_files import make_private_folder, replace_file
from ...config.text import text
from ...memory.worktrees.merge import merge_worktree
from ...memory.worktrees.record import Worktree, locate_worktree, read_record
from ...memory.worktrees.removal import remove_worktree
from ..approval.decisions import parse_decisions
from ..events.progress import EvidenceFound, Notice
from ..run.attempt import build_attempt_key
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.emit import emit
from ..run.interrupts import request_answer
from ..run.message_history import build_role_message
from ..run.snapshot_recorder import build_file_state, emit_changes
from ..state import AttemptResult, Outcome, State

NONE = "none of the {count} attempts is kept, because none passes its tests"
SAVED = "the changes of the other attempts: {folder}"
SAVED_ALL = "the changes of all attempts: {folder}"
CONFLICT = "not merged: `{path}`: {reason}; the attempt's version: {kept}"
_BRIEF = """The request was:

{request}

Of {count} attempts this one was kept; its report:

{summary}"""
CHOOSE = "No attempt is verified. Which one is kept? `mcode diff THREAD` shows its change."
OPTION = "attempt {number}: thread {thread}, {lines} lines; {reason}"
NOBODY = "none of them"
CHOSEN = "attempt {number} is kept: you chose it"
LEFT = "attempts without a verdict: {numbers}; read them with `mcode diff`"


async def adopt_attempt(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["verify", "review", "__end__"]]:
    """Merge the best attempt and go to the review, or to the tests; end if there is none."""
    deps = await runtime.context.open_dependencies(state)
    results = await choose_undecided(state, runtime)
    best = next((result for result in results if result["kept"]), None)
    worktrees = await asyncio.to_thread(_find_worktrees, deps, runtime, results)
    await _save_changes(deps, runtime, results, worktrees)
    if best and (worktree := worktrees.get(best["number"])):
        await _merge(state, runtime, worktree, best)
    for worktree in worktrees.values():
        await remove_worktree(deps.snapshots, worktree)
    files = await build_file_state(deps, runtime, await deps.snapshots.take())
    update = {**files, "attempts": results}
    if best is None:
        emit(runtime, Notice(text(NONE, count=len(results))))
        outcome: Outcome = (
            "unverified" if all(r["outcome"] == "unverified" for r in results) else "failed"
        )
        return Command(goto="__end__", update={**update, "outcome": outcome})
    evidence = best["evidence"]
    if evidence is None or evidence["tree"] != files["tree"]:
        # other files changed meanwhile, so these are not the files that were tested
        return Command(goto="verify", update={**update, **_build_update(state, best)})
    emit(runtime, EvidenceFound(**evidence))
    return Command(goto="review", update={**update, **_build_update(state, best)})


def _build_update(state: State, best: AttemptResult) -> dict[str, Any]:
    """Return the state of a coder whose work was tested and accepted."""
    brief = _BRIEF.format(
        request=state["request"],
        count=len(state.get("attempts", [])),
        summary=best["summary"] or "-",
    )
    return {
        "messages": [build_role_message("coder", brief)],
        "role": "coder",
        "summary": best["summary"],
        "evidence": best["evidence"],
        "accepted": best["outcome"] != "failed",
        "proven": True,
    }


def _find_worktrees(
    deps: Dependencies, runtime: Runtime[Context], results: Sequence[AttemptResult]
) -> dict[int, Worktree]:
    """Return the worktrees that still exist, by the number of their attempt."""
    store, thread_id = deps.snapshots.directory, get_thread_id(runtime)
    records = {
        result["number"]: read_record(
            locate_worktree(store, thread_id, build_attempt_key(result["number"]))
        )
        for result in results
    }
    return {number: worktree for number, worktree in records.items() if worktree}


async def _save_changes(
    deps: Dependencies,
    runtime: Runtime[Context],
    results: Sequence[AttemptResult],
    worktrees: dict[int, Worktree],
) -> None:
    """Save the changes of the other attempts as files, and emit where they are."""
    folder = deps.locate_outputs(get_thread_id(runtime)) / "attempts"
    discarded = [result for result in results if not result["kept"]]
    for result in discarded:
        if worktree := worktrees.get(result["number"]):
            tree = await deps.snapshots.open_for_folder(worktree.folder).take()
            diff = await deps.snapshots.diff(worktree.base, tree)
            await asyncio.to_thread(_write_file, folder / f"{result['number']}.diff", diff)
    if discarded:
        template = SAVED if len(discarded) < len(results) else SAVED_ALL
        emit(runtime, Notice(text(template, folder=folder)))


def _write_file(file: Path, content: str) -> None:
    make_private_folder(file.parent)
    replace_file(file, content.encode("utf-8", "surrogateescape"))


async def _merge(
    state: State, runtime: Runtime[Context], worktree: Worktree, best: AttemptResult
) -> None:
    deps, thread = await runtime.context.open_dependencies(state), get_thread_id(runtime)
    merged = await merge_worktree(
        worktree,
        deps.snapshots,
        deps.history,
        thread_id=thread,
        key=build_attempt_key(best["number"]),
        turn=state.get("turn", 1),
        tool=build_attempt_key(best["number"]),
        keep=deps.locate_outputs(thread),
    )
    for conflict in merged.conflicts:
        copy = conflict.kept or "-"
        notice = text(CONFLICT, path=conflict.path, reason=conflict.reason, kept=copy)
        emit(runtime, Notice(notice))
    if merged.entry:
        emit_changes(runtime, merged.entry.changes, "merge", merged.entry.after)


async def choose_undecided(state: State, runtime: Runtime[Context]) -> list[AttemptResult]:
    """Return the results, with the attempt that the user chooses marked if none is verified."""
    results = state.get("attempts", [])
    undecided = [result for result in results if result.get("undecided")]
    if not undecided or any(result["kept"] for result in results):
        return results
    if state.get("options", {}).get("apply"):
        numbers = ", ".join(str(result["number"]) for result in undecided)
        emit(runtime, Notice(text(LEFT, numbers=numbers)))
        return results
    allowed = [result["number"] for result in undecided]
    question = _build_question(undecided)
    number = await asyncio.to_thread(request_answer, question, partial(_parse, allowed=allowed))
    if number:
        emit(runtime, Notice(text(CHOSEN, number=number)))
    return [
        {**result, "kept": True, "reason": text("you chose it")}
        if result["number"] == number
        else result
        for result in results
    ]


def _build_question(undecided: Sequence[AttemptResult]) -> dict[str, Any]:
    options = [
        text(
            OPTION,
            number=result["number"],
            thread=result["thread_id"][:8],
            lines=result["lines"],
            reason=result["reason"],
        )
        for result in undecided
    ]
    args = {"question": text(CHOOSE), "options": [*options, text(NOBODY)]}
    request = {"name": "choose_attempt", "args": args, "description": args["question"]}
    config = {"action_name": "choose_attempt", "allowed_decisions": ["respond"]}
    return {"action_requests": [request], "review_configs": [config]}


def _parse(answer: object, allowed: Sequence[int]) -> int | None:
    """Return the number of the chosen attempt; 0: none of them; None: the answer is not clear."""
    decision = (parse_decisions(answer) or [{}])[0]
    if decision.get("type") == "reject":
        return 0
    if decision.get("type") != "respond":
        return None
    words = str(decision.get("message") or "").strip()
    if words.casefold() in (NOBODY, "none", "no", "0"):
        return 0
    number = re.match(r"(?:attempt\s+)?#?([0-9])\b", words, re.IGNORECASE)
    return int(number[1]) if number and int(number[1]) in allowed else None
