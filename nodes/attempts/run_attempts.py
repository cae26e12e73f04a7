"""Several attempts at one task, in parallel, each on a thread and in a worktree of its own.

This node creates the worktrees and collects the results; `Context.run_attempt` runs the threads.
A resume runs only the attempts that have not ended.
"""

import asyncio
import re
from collections.abc import Collection, Mapping, Sequence
from functools import partial
from pathlib import PurePosixPath
from typing import Any, Literal, cast

from langgraph.runtime import Runtime
from langgraph.types import Command

from ...config.errors import UsageError
from ...config.text import text
from ...memory.snapshots.file_version import PathChange
from ...memory.worktrees.creation import create_worktree
from ...memory.worktrees.record import Worktree
from ..events.agent import AttemptProgress, AttemptsCompared, AttemptStatus
from ..events.progress import Notice
from ..options import Options
from ..run.attempt import (
    Attempt,
    AttemptEnd,
    AttemptStep,
    RunAttempt,
    build_attempt_key,
    build_attempts,
)
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.emit import emit
from ..run.limits import NOTHING_USED, add_usage
from ..run.snapshot_recorder import take_workspace_snapshot
from ..state import AttemptResult, State, Usage
from ..testing.test_commands import find_commands

# Attempts that run at once
MAX_AT_ONCE = 4
# Characters of an argument of a call that is shown while an attempt works
MAX_ARGUMENT_LENGTH = 200
NOT_AVAILABLE = "only `mcode task --best-of` and the SDK run several attempts"
NO_TESTS = "attempts are compared by the project's tests, which cannot run: {problem}"
STARTED = "attempt {number}: thread {thread}"
STARTED_WITH = "attempt {number}: thread {thread}, model {model}"
KEPT = "attempt {number} is kept: {reason}"
NOT_KEPT = "attempt {number} is not kept: {reason}"
_OUTCOMES = {
    "failed": "its tests failed",
    "unverified": "unverified: {reason}",
    "undone": "it was undone",
}
_FAILURES = {
    "rejected": "the tester rejected it: {reason}",
    "no_verdict": "the tester gave no verdict: {reason}",
    "repeated": "its model kept repeating itself",
}
_STATUSES = {
    "waiting": "it asked a question that nobody could answer; see `mcode threads show {thread}`",
    "limit": "it reached its limit",
    "failed": "it failed: {reason}",
}

GREEN = "it breaks no test, and no other attempt changes fewer lines: {lines} lines"
LARGER = "it breaks no test, but attempt {number} changes fewer lines"
LATER = "it breaks no test, but attempt {number} changes as few lines and comes first"
TESTS_CHANGED = "it changed existing tests: {paths}"
ONLY_GREEN = "no other attempt passes its tests, but it changed existing tests: {paths}"
# Tests to name in a reason
_SHOWN = 3
_TEST_NAME = re.compile(
    r"(test_.*|.*_test|.*[.-](test|spec|tests)|conftest|.*_spec|.*Tests?|.*Spec)\.[A-Za-z0-9]+"
)
_TEST_FOLDERS = frozenset(["test", "tests", "__tests__", "spec", "specs"])


async def run_attempts(
    state: State, runtime: Runtime[Context]
) -> Command[Literal["attempts", "adopt"]]:
    """Run all attempts to their end; if the run is stopped meanwhile, a resume continues them."""
    deps = await runtime.context.open_dependencies(state)
    if (run := runtime.context.run_attempt) is None:
        raise UsageError(NOT_AVAILABLE, hint="leave out `best_of`")
    await _refuse_without_tests(state, runtime, deps)
    thread, options = get_thread_id(runtime), state.get("options", {})
    tree = await take_workspace_snapshot(deps, runtime, state.get("tree", ""))
    worktrees = {
        number: await create_worktree(
            deps.snapshots,
            thread_id=thread,
            key=build_attempt_key(number),
            tree=tree,
            sandboxed=deps.sandbox.is_on,
            has_own_thread=True,
        )
        for number in range(1, options.get("best_of", 1) + 1)
    }
    folders = {number: str(worktree.folder) for number, worktree in worktrees.items()}
    mode = runtime.context.mode or options.get("mode", "")
    effective_options = cast(Options, {**options, "mode": mode}) if mode else options
    attempts = build_attempts(thread, state["request"], effective_options, folders)
    ends = await _run_all(attempts, run, runtime)
    if any(end.status == "interrupted" for end in ends):
        return Command(goto="attempts")
    results = [
        await _build_result(deps, attempt, end, worktrees[attempt.number])
        for attempt, end in zip(attempts, ends, strict=True)
    ]
    results = mark_kept_attempt(results)
    total = _sum_usage(ends)
    _emit_results(runtime, results, total)
    return Command(goto="adopt", update={"attempts": results, "usage": total})


async def _refuse_without_tests(
    state: State, runtime: Runtime[Context], deps: Dependencies
) -> None:
    """Raise UsageError before the first request if the tests that compare attempts cannot run."""
    commands = await find_commands(state, runtime, deps)
    if commands and all(command.problem for command in commands):
        raise UsageError(
            text(NO_TESTS, problem=commands[0].problem),
            hint="repair that, or give `task.test_command`; with one attempt the task goes on",
        )


async def _run_all(
    attempts: Sequence[Attempt], run: RunAttempt, runtime: Runtime[Context]
) -> list[AttemptEnd]:
    """Run the attempts, a few at once; if one raises, stop the others."""
    slots = asyncio.Semaphore(MAX_AT_ONCE)

    async def run_one(attempt: Attempt) -> AttemptEnd:
        async with slots:
            _emit_start(runtime, attempt)
            end = await run(attempt, partial(_emit_step, runtime, attempt, "running"))
            _emit_step(runtime, attempt, end.status, AttemptStep(usage=end.usage))
            return end

    running = [asyncio.ensure_future(run_one(attempt)) for attempt in attempts]
    try:
        return list(await asyncio.gather(*running))
    finally:
        for task in running:
            task.cancel()
        await asyncio.wait(running)


def _emit_start(runtime: Runtime[Context], attempt: Attempt) -> None:
    template = STARTED_WITH if attempt.model else STARTED
    number, thread = attempt.number, attempt.thread_id[:8]
    notice = text(template, number=number, thread=thread, model=attempt.model)
    emit(runtime, Notice(notice))


def _emit_step(
    runtime: Runtime[Context], attempt: Attempt, status: AttemptStatus, step: AttemptStep
) -> None:
    emit(
        runtime,
        AttemptProgress(
            number=attempt.number,
            thread_id=attempt.thread_id,
            model=attempt.model,
            status=status,
            role=step.role,
            tool=step.tool,
            args=_select_short(step.args),
            usage=dict(step.usage or {}),
        ),
    )


def _select_short(args: Mapping[str, Any]) -> dict[str, str]:
    """Select what names the subject of a call: the rest is in the attempt's own thread."""
    return {
        name: value
        for name, value in args.items()
        if isinstance(value, str) and len(value) <= MAX_ARGUMENT_LENGTH
    }


def _emit_results(
    runtime: Runtime[Context], results: Sequence[AttemptResult], total: Usage
) -> None:
    emit(
        runtime,
        AttemptsCompared(attempts=[_to_event(result) for result in results], usage=dict(total)),
    )
    for result in results:
        template = KEPT if result["kept"] else NOT_KEPT
        notice = text(template, number=result["number"], reason=result["reason"])
        emit(runtime, Notice(notice))


async def _build_result(
    deps: Dependencies, attempt: Attempt, end: AttemptEnd, worktree: Worktree
) -> AttemptResult:
    tree = await deps.snapshots.open_for_folder(worktree.folder).take()
    changes = await deps.snapshots.list_changes(worktree.base, tree)
    diff = await deps.snapshots.diff(worktree.base, tree)
    return AttemptResult(
        number=attempt.number,
        thread_id=attempt.thread_id,
        model=attempt.model,
        outcome=end.outcome,
        reason=_describe(attempt, end),
        kept=False,
        lines=count_lines(diff),
        tests_changed=find_changed_tests(changes),
        summary=end.summary,
        evidence=end.evidence,
        usage=end.usage or NOTHING_USED,
        undecided=bool(diff) and (end.outcome == "unverified" or end.failure == "no_verdict"),
    )


def _describe(attempt: Attempt, end: AttemptEnd) -> str:
    """Return why an attempt is not verified; empty if its tests are green."""
    if end.status == "ended":
        reason = end.evidence["reason"] if end.evidence else "no tests were run"
        template = _FAILURES.get(end.failure or "", _OUTCOMES.get(end.outcome, ""))
        return text(template, reason=reason) if template else ""
    return text(_STATUSES[end.status], thread=attempt.thread_id[:8], reason=end.error)


def _to_event(result: AttemptResult) -> dict[str, Any]:
    evidence = result["evidence"]
    counts = {name: evidence[name] for name in ("passed", "failed")} if evidence else {}
    left_out = ("evidence", "summary")
    return {key: value for key, value in result.items() if key not in left_out} | counts


def _sum_usage(ends: Sequence[AttemptEnd]) -> Usage:
    total = NOTHING_USED
    for end in ends:
        total = add_usage(total, end.usage or NOTHING_USED)
    return total


def rank_attempts(results: Sequence[AttemptResult]) -> AttemptResult | None:
    """Return the attempt to keep; None if no tests are green.

    The smallest change wins, then the first attempt. An attempt that changed existing tests is kept
    only if no other one is green.
    """
    green = [result for result in results if is_green(result)]
    return min(green, key=_get_rank, default=None)


def is_green(result: AttemptResult) -> bool:
    """Return whether the attempt is verified by its tests."""
    return result["outcome"] == "verified"


def mark_kept_attempt(results: Sequence[AttemptResult]) -> list[AttemptResult]:
    """Return the results with the attempt to keep marked, and the reason for each green one."""
    best = rank_attempts(results)
    return [
        {**result, "kept": result is best, "reason": _explain(result, best)} for result in results
    ]


def _get_rank(result: AttemptResult) -> tuple[bool, int, int]:
    return (bool(result["tests_changed"]), result["lines"], result["number"])


def _explain(result: AttemptResult, best: AttemptResult | None) -> str:
    if best is None or not is_green(result):
        return result["reason"]
    changed = ", ".join(f"`{path}`" for path in result["tests_changed"][:_SHOWN])
    if result is best:
        if changed:
            return text(ONLY_GREEN, paths=changed)
        return text(GREEN, lines=result["lines"])
    if changed:
        return text(TESTS_CHANGED, paths=changed)
    reason = LATER if result["lines"] == best["lines"] else LARGER
    return text(reason, number=best["number"])


def count_lines(diff: str) -> int:
    """Count the added and removed lines of a unified diff; a binary file counts as one."""
    count, in_hunk = 0, False
    for line in diff.splitlines():
        if line.startswith("diff --git "):
            in_hunk = False
        elif line.startswith("@@"):
            in_hunk = True
        elif line.startswith("Binary files ") or (in_hunk and line[:1] in ("+", "-")):
            count += 1
    return count


def find_changed_tests(changes: Collection[PathChange]) -> list[str]:
    """Return the existing tests that were changed or deleted."""
    before = [change.path for change in changes if change.kind != "added"]
    return sorted(path for path in before if is_test_path(path))


def is_test_path(path: str) -> bool:
    """Return whether a file holds tests or their fixtures, by the conventions of any language."""
    pure_path = PurePosixPath(path)
    return bool(_TEST_NAME.fullmatch(pure_path.name)) or bool(
        _TEST_FOLDERS & set(pure_path.parts[:-1])
    )
