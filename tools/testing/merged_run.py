"""The runs of several commands as one result."""

from collections.abc import Sequence

from ...config.text import join_texts, text
from .run import RunVerdict, TestRun, evaluate_run, format_counts

_OF_COMMAND = "`{command}`: {reason}"


def merge_runs(runs: Sequence[TestRun]) -> TestRun:
    """Return one run with the sum of all counts and the outputs, those of red runs last."""
    if len(runs) == 1:
        return runs[0]
    red_last = sorted(runs, key=lambda run: evaluate_run(run).verdict == "failed")
    codes = [run.exit_code for run in runs if run.exit_code]
    return TestRun(
        command="; ".join(run.command for run in runs),
        exit_code=next(iter(codes), None if any(run.exit_code is None for run in runs) else 0),
        passed=_sum([run.passed for run in runs]),
        failed=_sum([run.failed for run in runs]),
        errors=_sum([run.errors for run in runs]),
        skipped=_sum([run.skipped for run in runs]),
        tail="\n".join(run.tail.strip("\n") for run in red_last if run.tail),
        timed_out=any(run.timed_out for run in runs),
        misses_socket=any(run.misses_socket for run in runs),
        failing=tuple(name for run in runs for name in run.failing),
    )


def evaluate_runs(runs: Sequence[TestRun]) -> RunVerdict:
    """Return `failed` if a run failed, `passed` if one passed and all could run."""
    verdicts = [(run, evaluate_run(run)) for run in runs]
    if len(verdicts) == 1:
        return verdicts[0][1]
    for verdict in ("failed", "unverified"):
        reasons = [
            text(_OF_COMMAND, command=run.command, reason=run_verdict.reason)
            for run, run_verdict in verdicts
            if run_verdict.verdict == verdict and (verdict == "failed" or run.exit_code is None)
        ]
        if reasons:
            return RunVerdict(verdict, join_texts("; ", reasons))
    if not any(run_verdict.verdict == "passed" for _, run_verdict in verdicts):
        return verdicts[0][1]
    # a framework without tests says nothing about the others
    return RunVerdict("passed", format_counts(merge_runs(runs)) or "exit code 0")


def _sum(counts: Sequence[int | None]) -> int | None:
    reported = [count for count in counts if count is not None]
    return sum(reported) if reported else None
