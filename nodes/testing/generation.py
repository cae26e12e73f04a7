"""Tests that the tester writes for one file: its brief, and whether what it wrote counts.

It may write test files only. `restrict_to_tests` refuses other changes before they happen; what a
command has changed all the same is found here, before a result can be `verified`.
"""

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime

from ...config.text import join_texts, text
from ...memory.snapshots.file_version import PathChange
from ...memory.undo.change_chains import compute_net_changes
from ...tools.testing.file_names import (
    GO,
    JAVASCRIPT,
    PYTHON,
    RUST,
    belongs_to_tests,
    find_language,
)
from ..review import list_job_entries
from ..run.context import Context
from ..run.message_history import build_role_message
from ..state import Evidence, State, TestsBefore

BRIEF = """{request}

The file to test: `{file}`. The project's tests before you begin: `{command}`: {reason}."""
REJECTED = """The tests do not count yet. `{command}`: {reason}

{tail}

Find the cause and repair your tests; you can change test files only. Do not weaken or remove tests
that were there before."""
FOREIGN = "`{path}` is not a test file, and was changed"
DELETED = "`{path}` was deleted; tests that were there must stay"
NOTHING = "no test was added or changed"
NO_CASES = "there is no test in {paths}"
FEWER_PASSED = "fewer tests pass than before: {after} instead of {before}"
NOT_RUN = "the new tests did not run, or were skipped: {count} pass, as before"
UNKNOWN = "without git it is not known which files changed"
# bytes of a file that are searched for tests
_MAX_READ = 1_000_000

_CASES = {
    PYTHON: re.compile(r"^[ \t]*(?:async[ \t]+)?def[ \t]+test", re.MULTILINE),
    # not in a comment of a whole line
    JAVASCRIPT: re.compile(
        r"^(?!\s*(?://|\*)).*?(?<![\w.])(?:it|test)(?:\.\w+)*\s*[(`]", re.MULTILINE
    ),
    GO: re.compile(r"^func[ \t]+(?:Test|Fuzz|Example)\w*\(", re.MULTILINE),
    RUST: re.compile(r"^[ \t]*#\[\s*(?:\w+::)*(?:test|rstest|test_case)\b", re.MULTILINE),
}


def is_generating(state: State) -> bool:
    """Return whether the task writes tests for a file."""
    return bool(state.get("options", {}).get("tests_for"))


def needs_first_run(state: State) -> bool:
    """Return whether the project's tests must run before the tester begins."""
    # an imported thread has no result of elsewhere, although its tester may have finished
    begins = state.get("tests_before") is None and not state.get("accepted")
    return is_generating(state) and (begins or state.get("outcome") is not None)


def build_tests_before(evidence: Evidence) -> TestsBefore:
    """Return what a first run said."""
    return TestsBefore(
        command=evidence["command"], reason=evidence["reason"], passed=evidence["passed"]
    )


def build_brief(state: State) -> str:
    """Return the tester's first message."""
    before = state.get("tests_before")
    return BRIEF.format(
        request=state["request"],
        file=state.get("options", {}).get("tests_for", ""),
        command=before["command"] if before else "",
        reason=before["reason"] if before else "",
    )


def build_rejection(evidence: Evidence, more: str) -> HumanMessage:
    """Return the message to the tester that its tests do not count, and why."""
    return build_role_message("tester", REJECTED.format(**evidence) + more)


async def evaluate_written_tests(
    evidence: Evidence, state: State, runtime: Runtime[Context]
) -> Evidence:
    """Return failed evidence if other files were changed, or no test was added that ran."""
    entries = [entry for entry in await list_job_entries(state, runtime) if entry.kind != "others"]
    changes = compute_net_changes([entry for entry in entries if entry.tool != "verify"])
    by_runs = compute_net_changes([entry for entry in entries if entry.tool == "verify"])
    foreign = find_foreign_change(changes, by_runs)
    if evidence["verdict"] == "failed":
        return add_red_reason(evidence, foreign or find_nothing_written(changes))
    deps, before = await runtime.context.open_dependencies(state), state.get("tests_before")
    reason = (
        foreign
        or await asyncio.to_thread(find_missing_tests, changes, deps.workspace.root)
        or compare_counts(changes, before["passed"] if before else None, evidence["passed"])
    )
    if reason:
        return {**evidence, "verdict": "failed", "reason": reason}
    if evidence["verdict"] == "passed" and not deps.snapshots.has_all_files:
        return {**evidence, "verdict": "unverified", "reason": UNKNOWN}
    return evidence


def find_foreign_change(changes: Sequence[PathChange], by_runs: Sequence[PathChange]) -> str:
    """Return which other file was changed, or which file of tests was deleted; empty: none.

    New files that belong to no language do not count, since commands leave logs and data of
    coverage; no new files do that runs of the tests have left.
    """
    left_over = [
        change for change in changes if change.kind == "added" and not find_language(change.path)
    ]
    counted = [change for change in changes if change not in left_over]
    counted += [
        change for change in by_runs if change.kind != "added" and find_language(change.path)
    ]
    for change in counted:
        if not belongs_to_tests(change.path):
            return text(FOREIGN, path=change.path)
    deleted = next((change.path for change in changes if change.kind == "deleted"), "")
    return text(DELETED, path=deleted) if deleted else ""


def add_red_reason(evidence: Evidence, reason: str) -> Evidence:
    """Return red evidence whose reason begins with this one, if there is one."""
    if not reason:
        return evidence
    return {**evidence, "reason": join_texts("; ", [reason, evidence["reason"]])}


def find_nothing_written(changes: Sequence[PathChange]) -> str:
    """Return that no file of tests has changed; empty if one has."""
    return "" if any(belongs_to_tests(change.path) for change in changes) else NOTHING


def find_missing_tests(changes: Sequence[PathChange], root: Path) -> str:
    """Return why there are no tests in what was written; empty if there are."""
    if nothing := find_nothing_written(changes):
        return nothing
    written = [change.path for change in changes if belongs_to_tests(change.path)]
    counts = [count_test_cases(path, _read_text(root / path)) for path in written]
    if any(count or count is None for count in counts):
        return ""
    return text(NO_CASES, paths=", ".join(f"`{path}`" for path in written))


def compare_counts(changes: Sequence[PathChange], before: int | None, after: int | None) -> str:
    """Return why the numbers of passed tests show that none was added; empty if they do not."""
    if before is None or after is None:
        return ""
    if after < before:
        return text(FEWER_PASSED, after=after, before=before)
    written = [change for change in changes if belongs_to_tests(change.path)]
    if after == before and all(change.kind == "added" for change in written):
        return text(NOT_RUN, count=after)
    return ""


def _read_text(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return opened.read(_MAX_READ).decode(errors="replace")
    except OSError:
        return ""


def count_test_cases(path: str, content: str) -> int | None:
    """Count the test cases in a file; None if its language is not known."""
    pattern = _CASES.get(find_language(path))
    return None if pattern is None else len(pattern.findall(content))
