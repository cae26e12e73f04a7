"""The baseline: which tests were red before a job changed anything.

The same command runs on the earlier files, in a worktree of the snapshot. The result is kept in the
state, so it runs once for each command and job.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

from langgraph.runtime import Runtime

from ...memory.snapshots.file_version import filter_visible
from ...memory.undo.change_chains import compute_net_changes
from ...tools.testing.command import TestCommand
from ...tools.testing.detection import format_command
from ...tools.testing.run import TestRun
from ..review import list_job_entries
from ..run.context import Context
from ..run.dependencies import Dependencies
from ..state import Baseline, BaselineRun, State
from .earlier_files import run_on_earlier_files
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
        if baseline and _may_be_excused(state, run):
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


def _may_be_excused(state: State, run: TestRun) -> bool:
    """Return whether it matters what was red before the change."""
    if not run.red or run.timed_out:
        return False
    return bool(run.passed) or not run.names_all_red


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
