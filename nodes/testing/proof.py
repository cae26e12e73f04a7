"""The proof of a change: test runs, until the tested files are those that are there."""

import asyncio
import logging
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from langgraph.runtime import Runtime

from ...config.errors import MaxAgentError
from ...config.text import text
from ...memory.snapshots.file_version import filter_visible
from ...memory.undo.change_chains import compute_net_changes
from ...memory.worktrees.creation import create_worktree
from ...memory.worktrees.removal import remove_worktree
from ...tools.sandbox.detect import open_sandbox
from ...tools.testing.command import TestCommand
from ...tools.testing.detection import (
    build_configured_command,
    detect_test_commands,
    format_command,
)
from ...tools.testing.python import POINTERS
from ...tools.testing.run import TestRun
from ..events.progress import RunPurpose
from ..review import list_job_entries
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.snapshot_recorder import FileRecord
from ..state import Baseline, BaselineRun, Evidence, State
from .evidence import build_evidence
from .red_tests import MAX_FLAKY, RedTests, find_flaky
from .test_commands import run_command

# Names of red tests that the state keeps; with more of them, no test is excused
MAX_NAMES = 200
# A request for which red tests are the work itself
_RED_WORD = re.compile(
    r"\b(?:fail\w*|red|broken|break\w*|flaky)\b|失败|不通过|报错|变绿", re.IGNORECASE
)
_TEST_WORD = re.compile(
    r"\b(?:tests?|suite|specs?|ci|pytest|jest|vitest|mocha)\b|测试", re.IGNORECASE
)
_MIN_PART_LENGTH = 5
MOVING = "`{path}` changed while the tests ran, so the result is not for the current files"
NO_SOCKETS = "{reason}; the sandbox may be why: it denies unix sockets (`sandbox.unix_sockets`)"

_MAX_POINTER_BYTES = 200_000
_logger = logging.getLogger(__name__)


async def find_red_tests(
    state: State,
    runtime: Runtime[Context],
    deps: Dependencies,
    commands: Sequence[TestCommand],
    runs: Sequence[TestRun],
) -> tuple[list[RedTests], Baseline | None]:
    """Return for each run the red tests that do not count, and the baseline to keep in the state.

    Tests that the request is about always count: those that it names, or all if it speaks of red
    tests and names none. All count, too, if the job has changed nothing.
    """
    baseline = await _open_baseline(state, runtime)
    red: list[RedTests] = []
    for command, run in zip(commands, runs, strict=True):
        before = None
        if baseline and _has_red_tests(run):
            baseline = await _add_run(baseline, command, runtime, deps)
            before = baseline["runs"].get(format_command(command))
        excused = _compare(state, run, before)
        red.append(await _find_flaky_tests(excused, command, run, runtime, deps))
    return red, baseline


async def _open_baseline(state: State, runtime: Runtime[Context]) -> Baseline | None:
    """Return the baseline of the job; None if the job has not changed any file."""
    entries = await list_job_entries(state, runtime)
    job_entries = [entry for entry in entries if entry.tool != "verify" and entry.kind != "others"]
    if not filter_visible(compute_net_changes(job_entries)):
        return None
    baseline, tree = state.get("baseline"), entries[0].before
    return baseline if baseline and baseline["tree"] == tree else Baseline(tree=tree, runs={})


def _has_red_tests(run: TestRun) -> bool:
    """Return whether it matters what was red before the change."""
    return bool(run.red) and not run.timed_out


async def _add_run(
    baseline: Baseline, command: TestCommand, runtime: Runtime[Context], deps: Dependencies
) -> Baseline:
    """Return the baseline with the run of this command, if its tests can run there."""
    command_line = format_command(command)
    if command_line in baseline["runs"]:
        return baseline
    before = await run_on_earlier_files(command, baseline["tree"], runtime, deps)
    if before is None or (run := build_baseline_run(before)) is None:
        return baseline
    return Baseline(tree=baseline["tree"], runs={**baseline["runs"], command_line: run})


def _compare(state: State, run: TestRun, before: BaselineRun | None) -> RedTests:
    """Return the red tests of a run that were red before, without those of the request."""
    request = _get_repair_request(state)
    if before is None:
        return RedTests()
    if is_about_red_tests(request) and not any(
        is_test_named(request, name) for name in (*before["failing"], *run.failing)
    ):
        return RedTests()
    if run.names_all_red and before["names_all_red"]:
        names = [name for name in run.failing if name in before["failing"]]
        return RedTests(tuple(name for name in names if not is_test_named(request, name)))
    is_same = (before["exit_code"], before["red"]) == (run.exit_code, run.red)
    return RedTests(is_same_as_before=is_same and not run.names_all_red)


async def _find_flaky_tests(
    red: RedTests,
    command: TestCommand,
    run: TestRun,
    runtime: Runtime[Context],
    deps: Dependencies,
) -> RedTests:
    """Run newly red tests once more; those that pass then are flaky."""
    new = [name for name in run.failing if name not in red.already]
    if not run.names_all_red or not 0 < len(new) <= MAX_FLAKY:
        return red
    again = await run_command(command, runtime, deps, "again")
    return replace(red, flaky=find_flaky(run, again, new))


def build_baseline(tree: str, commands: Sequence[TestCommand], runs: Sequence[TestRun]) -> Baseline:
    """Return the baseline of runs on the files before the job, whose snapshot is `tree`."""
    named = zip(map(format_command, commands), map(build_baseline_run, runs), strict=True)
    return Baseline(tree=tree, runs={name: run for name, run in named if run})


def build_baseline_run(run: TestRun) -> BaselineRun | None:
    """Return a run as the state keeps it; None if it has no usable result."""
    if run.exit_code is None or run.timed_out or (run.exit_code and not run.red):
        return None
    return BaselineRun(
        exit_code=run.exit_code,
        red=run.red,
        failing=list(run.failing[:MAX_NAMES]),
        names_all_red=not run.red or (run.names_all_red and len(run.failing) <= MAX_NAMES),
    )


def _get_repair_request(state: State) -> str:
    """Return the request, which may name red tests; empty if it is one for more tests."""
    return "" if state.get("options", {}).get("tests_for") else state["request"]


def is_about_red_tests(request: str) -> bool:
    """Return whether the request is about tests that fail."""
    return bool(_TEST_WORD.search(request) and _RED_WORD.search(request))


def is_test_named(request: str, name: str) -> bool:
    """Return whether the request names this test: its title, or its file."""
    file, *titles = re.split(r"::| > ", name)
    title = (titles or [file])[-1]
    parts = {file, file.removesuffix(".py"), title, title.partition("[")[0]}
    parts |= {part.rpartition(mark)[2] for part in parts for mark in "./"}
    return any(len(part) >= _MIN_PART_LENGTH and part in request for part in parts)


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
    record: FileRecord,
    commands: Sequence[TestCommand],
    deps: Dependencies,
    purpose: RunPurpose = "",
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


async def run_on_earlier_files(
    command: TestCommand, tree: str, runtime: Runtime[Context], deps: Dependencies
) -> TestRun | None:
    """Run the command on the files of the snapshot; None if that is not possible."""
    if not deps.snapshots.has_all_files or not tree:
        return None
    try:
        async with _open_worktree(tree, runtime, deps) as earlier:
            same = await _find_same_command(command, earlier)
            if same is None or same.problem or await asyncio.to_thread(_is_linked, same, deps):
                return None
            return await run_command(same, runtime, earlier, "before")
    except (MaxAgentError, OSError) as error:
        _logger.info("no baseline: %s", error)
        return None


@asynccontextmanager
async def _open_worktree(
    tree: str, runtime: Runtime[Context], deps: Dependencies
) -> AsyncGenerator[Dependencies]:
    """Yield dependencies for a worktree of the snapshot; it is removed at the end."""
    worktree = await create_worktree(
        deps.snapshots,
        thread_id=get_thread_id(runtime),
        key=f"baseline-{tree}",
        tree=tree,
        sandboxed=deps.sandbox.is_on,
    )
    try:
        workspace = replace(deps.workspace, root=worktree.folder)
        section = deps.settings.sandbox
        sandbox = await asyncio.to_thread(open_sandbox, section, workspace, deps.home)
        if deps.sandbox.unix_sockets:
            sandbox = sandbox.with_unix_sockets()
        yield replace(deps, workspace=workspace, sandbox=sandbox)
    finally:
        await remove_worktree(deps.snapshots, worktree)


async def _find_same_command(command: TestCommand, deps: Dependencies) -> TestCommand | None:
    """Return the same command in the worktree; None if it did not exist then."""
    if command.framework == "configured":
        return build_configured_command(deps.settings.task.test_command)
    commands = await detect_test_commands(deps.workspace.root, "", deps.sandbox)
    command_line = format_command(command)
    return next(
        (candidate for candidate in commands if format_command(candidate) == command_line), None
    )


def _is_linked(command: TestCommand, deps: Dependencies) -> bool:
    """Return whether the command would test the project's current files instead.

    It would if the project is installed in editable mode in an environment outside of it.
    """
    if command.language != "Python":
        return False
    root = str(deps.workspace.root).encode()
    packages = Path(command.argv[0]).parent.parent.glob("lib/python*/site-packages")
    pointers = (
        file for folder in packages for pattern in POINTERS for file in folder.glob(pattern)
    )
    return any(root in _read_start(file) for file in pointers)


def _read_start(file: Path) -> bytes:
    try:
        with file.open("rb") as stream:
            return stream.read(_MAX_POINTER_BYTES)
    except OSError:
        return b""
