"""The evidence of a task: what its test runs say, as the state keeps it."""

from collections.abc import Sequence

from ...config.text import text
from ...tools.testing.merged_run import evaluate_runs, merge_runs
from ...tools.testing.run import RunVerdict, TestRun, evaluate_run, shorten_output
from ..state import Evidence
from .red_tests import RedTests

# Characters of the output that are kept in State, which every checkpoint repeats
SHOWN_TAIL = 3_000
# Names of tests that are kept, and characters of each
MAX_NAMES = 20
MAX_NAME_LENGTH = 200
_COUNT_AS_BEFORE = "{reason}, {count} failed (as before)"
_ALREADY_RED = "{reason}; not from this change: {names}"
# Names of such tests that the reason has
MAX_SHOWN_NAMES = 3
_SAME_AS_BEFORE = "{reason}, as before the change; it is not known which tests fail"


def build_evidence(runs: Sequence[TestRun], tree: str, red: Sequence[RedTests] = ()) -> Evidence:
    """Build the evidence of the runs; `red` has for each run the red tests that do not count."""
    excuses = red or [RedTests() for _ in runs]
    counted = [excuse.discount_flaky(run) for excuse, run in zip(excuses, runs, strict=True)]
    excused = [excuse.excuse(run) for excuse, run in zip(excuses, counted, strict=True)]
    merged, run_verdict = merge_runs(counted), evaluate_runs(excused)
    already_red_names = [name for excuse in excuses for name in excuse.already]
    flaky = [name for excuse in excuses for name in excuse.flaky]
    verdict, reason = (
        run_verdict.verdict,
        _add_remarks(run_verdict, already_red_names, flaky),
    )
    if verdict == "failed" and _is_same_as_before(excused, excuses):
        verdict, reason = "unverified", text(_SAME_AS_BEFORE, reason=reason)
    evidence = Evidence(
        command=merged.command,
        verdict=verdict,
        reason=reason,
        exit_code=merged.exit_code,
        passed=merged.passed,
        failed=merged.failed,
        errors=merged.errors,
        skipped=merged.skipped,
        tree=tree,
        tail=shorten_output(merged.tail, SHOWN_TAIL),
    )
    if merged.failing:
        evidence["failing"] = cut_names(merged.failing)
    if already_red_names:
        evidence["already_red"] = cut_names(already_red_names)
    if flaky:
        evidence["flaky"] = cut_names(flaky)
    return evidence


def _is_same_as_before(runs: Sequence[TestRun], red: Sequence[RedTests]) -> bool:
    """Return whether each red run was red in the same way before the change."""
    return all(
        excuse.is_same_as_before
        for run, excuse in zip(runs, red, strict=True)
        if evaluate_run(run).verdict == "failed"
    )


def build_unverified(reason: str, tree: str, command: str = "") -> Evidence:
    """Build the evidence of tests that did not run."""
    return Evidence(
        command=command,
        verdict="unverified",
        reason=reason,
        exit_code=None,
        passed=None,
        failed=None,
        errors=None,
        skipped=None,
        tree=tree,
        tail="",
    )


def cut_names(names: Sequence[str]) -> list[str]:
    """Shorten the names for the state."""
    shortened = [name[:MAX_NAME_LENGTH] for name in names[:MAX_NAMES]]
    return [*shortened, "…"] if len(names) > MAX_NAMES else shortened


def _add_remarks(run_verdict: RunVerdict, already: Sequence[str], flaky: Sequence[str]) -> str:
    """Add to the reason which red tests do not count; those of a red run it counts already."""
    reason = run_verdict.reason
    if count := len(already):
        if run_verdict.verdict == "passed":
            reason = text(_COUNT_AS_BEFORE, reason=reason, count=count)
        names = ", ".join(f"`{name[:MAX_NAME_LENGTH]}`" for name in already[:MAX_SHOWN_NAMES])
        names += ", …" if count > MAX_SHOWN_NAMES else ""
        reason = text(_ALREADY_RED, reason=reason, names=names)
    if flaky:
        names = ", ".join(f"`{name}`" for name in cut_names(flaky))
        reason = text("{reason}; flaky, passed when run again: {names}", reason=reason, names=names)
    return reason
