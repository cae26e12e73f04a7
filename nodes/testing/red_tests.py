"""Red tests that do not count against a change: flaky ones, and those that were already red."""

from collections.abc import Collection
from dataclasses import dataclass, replace

from ...tools.testing.run import TestRun

# Most red tests for which another run checks whether they are flaky
MAX_FLAKY = 20


@dataclass(frozen=True)
class RedTests:
    """The names of red tests that do not count."""

    already: tuple[str, ...] = ()
    """Those that were red before the change."""
    flaky: tuple[str, ...] = ()
    """Those that passed when they were run again on the same files."""
    is_same_as_before: bool = False
    """Whether names are unknown, and as many tests were red before the change."""

    def discount_flaky(self, run: TestRun) -> TestRun:
        """Return the run with its flaky tests as passed."""
        flaky = {name for name in run.failing if name in self.flaky}
        if not flaky or not run.names_all_red:
            return run
        failing = tuple(name for name in run.failing if name not in flaky)
        count = len(run.failing) - len(failing)
        errors = max(0, (run.errors or 0) - max(0, count - (run.failed or 0)))
        return replace(
            run,
            passed=(run.passed or 0) + count,
            failed=max(0, (run.failed or 0) - count),
            errors=errors,
            failing=failing,
            exit_code=run.exit_code if failing else 0,
        )

    def excuse(self, run: TestRun) -> TestRun:
        """Return the run without the tests that were already red; red if no test passed."""
        already_red = {*self.already}
        is_excused = run.names_all_red and already_red.issuperset(run.failing) and run.passed
        return replace(run, failed=0, errors=0, exit_code=0) if is_excused else run


def find_flaky(first: TestRun, again: TestRun, names: Collection[str]) -> tuple[str, ...]:
    """Return the names of tests that passed in the second run of the same files.

    Empty if the second run ran fewer tests, or does not name all that failed in it.
    """
    has_ended = again.exit_code is not None and not again.timed_out and not again.problem
    is_named = again.names_all_red or (again.exit_code == 0 and not again.red)
    if not (has_ended and is_named) or _count(again) < _count(first):
        return ()
    return tuple(name for name in names if name not in again.failing)


def _count(run: TestRun) -> int:
    return (run.passed or 0) + run.red + (run.skipped or 0)
