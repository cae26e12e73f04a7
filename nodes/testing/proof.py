"""The proof of a change: test runs, until the tested files are those that are there."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ...config.text import text
from ...memory.snapshots.file_version import filter_visible
from ...tools.testing.command import TestCommand
from ...tools.testing.run import TestRun
from ..run.dependencies import Dependencies
from ..run.snapshot_recorder import FileRecord
from ..state import Baseline, Evidence, State
from .baseline import build_baseline, find_red_tests
from .evidence import build_evidence
from .test_commands import run_command

MOVING = "`{path}` changed while the tests ran, so the result is not for the current files"
NO_SOCKETS = "{reason}; the sandbox may be why: it denies unix sockets (`sandbox.unix_sockets`)"


@dataclass(frozen=True)
class Proof:
    """The result of the tests."""

    evidence: Evidence
    misses_socket: bool = False
    consents: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The user's answer to store, as an update."""
    runs: Sequence[TestRun] = ()
    baseline: Baseline | None = None
    """What was found out about the files before the job, to store."""


async def run_until_stable(
    state: State, record: FileRecord, commands: Sequence[TestCommand], deps: Dependencies
) -> Proof:
    """Run the tests; if files changed meanwhile, run them once more.

    Files that the second run changes again, such as a coverage file, are written by the tests.
    """
    first = await _run_commands(record, commands, deps)
    if first.evidence["verdict"] == "failed" and not first.misses_socket:
        return await _exclude_known_red_tests(state, record, commands, first, deps)
    changed = await _find_changed_files(record, record.tree, first.evidence["tree"])
    if first.evidence["verdict"] != "passed" or not changed:
        return first
    again = await _run_commands(record, commands, deps)
    if again.evidence["verdict"] == "failed" and not again.misses_socket:
        return await _exclude_known_red_tests(state, record, commands, again, deps)
    moved = (
        await _find_changed_files(record, first.evidence["tree"], again.evidence["tree"]) - changed
    )
    if again.evidence["verdict"] == "passed" and moved:
        reason = text(MOVING, path=min(moved))
        return Proof({**again.evidence, "verdict": "unverified", "reason": reason})
    return again


async def run_first_time(
    record: FileRecord, commands: Sequence[TestCommand], deps: Dependencies
) -> Proof:
    """Run the tests before anything is written: the baseline. Their output is not shown."""
    proof = await _run_commands(record, commands, deps, "before")
    if proof.misses_socket:
        return proof
    return replace(proof, baseline=build_baseline(record.tree, commands, proof.runs))


async def _run_commands(
    record: FileRecord, commands: Sequence[TestCommand], deps: Dependencies, purpose: str = ""
) -> Proof:
    runs = [await run_command(command, record.runtime, deps, purpose) for command in commands]
    # taken after the run: files that the tests write are part of what was tested
    evidence = build_evidence(runs, await deps.snapshots.take())
    misses_socket = any(run.misses_socket for run in runs)
    if evidence["verdict"] != "failed" or not misses_socket:
        return Proof(evidence, runs=runs)
    reason = text(NO_SOCKETS, reason=evidence["reason"])
    return Proof({**evidence, "reason": reason}, misses_socket=True, runs=runs)


async def _exclude_known_red_tests(
    state: State,
    record: FileRecord,
    commands: Sequence[TestCommand],
    proof: Proof,
    deps: Dependencies,
) -> Proof:
    """Leave out flaky tests, and those that were red before the job."""
    red, baseline = await find_red_tests(state, record.runtime, deps, commands, proof.runs)
    evidence = build_evidence(proof.runs, await deps.snapshots.take(), red)
    changed = await _find_changed_files(record, proof.evidence["tree"], evidence["tree"])
    if evidence["verdict"] == "passed" and changed - await _find_changed_files(
        record, record.tree, proof.evidence["tree"]
    ):
        reason = text(MOVING, path=min(changed))
        evidence = Evidence({**evidence, "verdict": "unverified", "reason": reason})
    return Proof(evidence, runs=proof.runs, baseline=baseline)


async def _find_changed_files(record: FileRecord, old: str, new: str) -> set[str]:
    """Return existing files that changed; new files are not part of what was tested."""
    changes = await record.deps.snapshots.list_changes(old, new)
    return {change.path for change in filter_visible(changes) if change.kind != "added"}
