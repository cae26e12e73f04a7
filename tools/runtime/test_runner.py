"""Test runs of a project, and their verdict."""

import asyncio
import shutil
import tempfile
import xml.etree.ElementTree as ElementTree
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar, Literal

from ...config.text import text
from ..process.launcher import ProcessExit
from ..process.output_stream import LiveOutput
from ..process.stream_redaction import RedactingSink
from ..process.truncation import clean_text
from ..result import ToolError
from ..sandbox.execution import stream_inside
from ..sandbox.failure_hint import has_socket_failure
from ..sandbox.sandbox import Sandbox
from .test_frameworks import TestCommand

# bytes of the output's end that are kept
TAIL = 8_000
LARGEST_REPORT = 20_000_000
# pytest's exit code when it collected nothing
NO_TESTS = 5


@dataclass(frozen=True)
class TestRun:
    """The result of a test run."""

    __test__: ClassVar[bool] = False  # else pytest would collect it
    command: str
    exit_code: int | None
    """None if the command could not run."""
    passed: int | None
    failed: int | None
    errors: int | None
    skipped: int | None
    """Counts; None if the command reports none."""
    tail: str
    """The end of the output."""
    problem: str = ""
    """Why there was no run, no exit or no report."""
    timed_out: bool = False
    misses_socket: bool = False
    """Whether the run probably failed because the sandbox denies unix sockets."""


@dataclass(frozen=True)
class RunVerdict:
    """Whether a run proves that the project works, and the reason."""

    verdict: Literal["passed", "failed", "unverified"]
    reason: str


async def run_tests(
    command: TestCommand,
    folder: Path,
    timeout: float,
    on_output: Callable[[str], None],
    sandbox: Sandbox | None = None,
) -> TestRun:
    """Run the tests in `folder`, at most `timeout` seconds; leaves no caches in the project."""
    if command.problem:
        return _build_failed_start(command, command.problem)
    live, tail, misses = LiveOutput(on_output), bytearray(), False

    def record_output(piece: bytes) -> None:
        nonlocal misses
        misses = misses or has_socket_failure(piece.decode(errors="replace"))
        live.add(piece)
        tail.extend(piece)
        del tail[:-TAIL]

    output = RedactingSink(record_output)
    temporary = Path(await asyncio.to_thread(tempfile.mkdtemp, prefix="maxagent-"))
    try:
        report = temporary / "report.xml"
        argv = [*command.argv, *_build_report_options(command, report)]
        clean_room = {"PYTHONDONTWRITEBYTECODE": "1"}
        own = [await asyncio.to_thread(temporary.resolve)]
        ended = await stream_inside(
            sandbox,
            argv,
            cwd=folder,
            timeout=timeout,
            on_output=output.add,
            env=clean_room,
            also=own,
        )
        output.close()
        run = await asyncio.to_thread(
            _build_run, command, ended, report, clean_text(bytes(tail)), timeout
        )
        denied = sandbox is not None and sandbox.denies_unix_sockets
        return replace(run, misses_socket=misses and denied)
    except ToolError as refusal:  # the sandbox cannot protect such a project
        return _build_failed_start(command, str(refusal))
    finally:
        await asyncio.to_thread(shutil.rmtree, temporary, ignore_errors=True)


def evaluate_run(run: TestRun) -> RunVerdict:
    """Passed only if at least one test ran and all did; without a test it is unverified."""
    counts, code = _format_counts(run), run.exit_code
    if code is None:
        return RunVerdict("unverified", run.problem)
    if run.timed_out or run.failed or run.errors:
        return RunVerdict("failed", run.problem or counts)
    if code == NO_TESTS and "pytest" in run.command:
        return RunVerdict("unverified", "no tests were found")
    if code:
        return RunVerdict("failed", text("exit code {code}", code=code))
    if run.problem:
        return RunVerdict("unverified", run.problem)
    if run.passed == 0:
        return RunVerdict(
            "unverified", text("no test ran: {counts}", counts=counts or "none was found")
        )
    return RunVerdict("passed", counts or "exit code 0")


def _build_failed_start(command: TestCommand, problem: str) -> TestRun:
    return TestRun(command.shown, None, None, None, None, None, "", problem)


def _build_report_options(command: TestCommand, report: Path) -> list[str]:
    if command.framework != "pytest":
        return []
    # the cache is moved, not disabled: that would break projects that configure it
    return ["-q", f"--junitxml={report}", "-o", f"cache_dir={report.parent / 'cache'}"]


def _build_run(
    command: TestCommand, ended: ProcessExit, report: Path, tail: str, timeout: float
) -> TestRun:
    counts, problem = None, ""
    if command.framework == "pytest":
        counts = read_report(report)
        problem = "" if counts else "pytest ended without a readable report"
    if ended.timed_out:
        problem = text("the tests were stopped after {timeout} seconds", timeout=f"{timeout:g}")
    numbers = [counts[kind] for kind in ("passed", "failure", "error", "skipped")] if counts else []
    passed, failed, errors, skipped = numbers or [None] * 4
    return TestRun(
        command=command.shown,
        exit_code=ended.exit_code,
        passed=passed,
        failed=failed,
        errors=errors,
        skipped=skipped,
        tail=tail,
        problem=problem,
        timed_out=ended.timed_out,
    )


def read_report(report: Path) -> Counter[str] | None:
    """Test cases of a JUnit report by outcome; None when it is missing, too large or damaged."""
    try:
        if report.stat().st_size > LARGEST_REPORT:
            return None
        data = report.read_bytes()
        # entities can blow up a small file; pytest writes none
        root = None if b"<!DOCTYPE" in data else ElementTree.fromstring(data)
    except (OSError, ElementTree.ParseError):
        return None
    return None if root is None else Counter(map(_classify_case, root.iter("testcase")))


def _classify_case(case: ElementTree.Element) -> str:
    kinds = {child.tag for child in case}
    return next((kind for kind in ("failure", "error", "skipped") if kind in kinds), "passed")


def _format_counts(run: TestRun) -> str:
    counts = {
        "failed": run.failed,
        "errors": run.errors,
        "passed": run.passed,
        "skipped": run.skipped,
    }
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)
