"""Running the tests of a project by one of its test commands."""

import asyncio
import codecs
import os
import shutil
import tempfile
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from ...config.text import text
from ..process.launcher import ProcessExit
from ..process.output_stream import LiveOutput
from ..process.stream_redaction import RedactingSink
from ..process.truncation import clean_text
from ..result import ToolError
from ..sandbox.execution import stream_inside
from ..sandbox.sandbox import Sandbox
from .caches import make_caches
from .command import BY_EXIT_CODE, Framework, TestCommand
from .coverage import CoverageTool
from .reports.go import format_go_line, read_go
from .reports.junit import read_junit
from .reports.report import TestReport
from .reports.script_json import format_mocha, read_jest, read_mocha
from .reports.summary_lines import read_cargo, read_summary, read_unittest
from .run import TestRun

# bytes of the output's end that are kept
TAIL = 8_000
MAX_REPORT_BYTES = 20_000_000


class TestOutput:
    """Takes the output as it comes."""

    __test__ = False  # else pytest would collect it

    def __init__(
        self,
        on_output: Callable[[str], None],
        format_line: Callable[[str], str] | None = None,
        *,
        is_report: bool,
    ) -> None:
        """`format_line` makes each line readable; `is_report`: whether the whole output is kept."""
        self.misses_socket = False
        self._live = LiveOutput(on_output)
        self._tail, self._whole = bytearray(), bytearray()
        self._is_report = is_report
        self._format_line = format_line
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._open_line = ""
        self._sink = RedactingSink(self._record)

    @property
    def tail(self) -> str:
        """The end of the output."""
        return clean_text(bytes(self._tail))

    @property
    def report(self) -> str:
        """The whole output; empty if it is too long to be read as a report."""
        return "" if len(self._whole) > MAX_REPORT_BYTES else self._whole.decode(errors="replace")

    def add(self, piece: bytes) -> None:
        """Take the next piece."""
        self._sink.add(piece)

    def close(self) -> None:
        """Flush what is left."""
        self._sink.close()
        if self._open_line:
            self._show(self._format(self._open_line))
            self._open_line = ""

    def _record(self, piece: bytes) -> None:
        if not self.misses_socket:
            from ..sandbox.failure_hint import has_socket_failure  # compiles its expressions

            self.misses_socket = has_socket_failure(piece.decode(errors="replace"))
        if self._is_report and len(self._whole) <= MAX_REPORT_BYTES:
            self._whole.extend(piece)
        if self._format_line is None:
            self._show(piece)
            return
        text = self._open_line + self._decoder.decode(piece)
        *lines, self._open_line = text.split("\n")
        for line in lines:
            self._show(self._format(f"{line}\n"))

    def _format(self, line: str) -> bytes:
        return self._format_line(line).encode() if self._format_line else b""

    def _show(self, piece: bytes) -> None:
        if piece:
            self._live.add(piece)
            self._tail.extend(piece)
            del self._tail[:-TAIL]


# frameworks that write a file; the output of the others is their report
WRITES_FILE: frozenset[Framework] = frozenset(["pytest", "jest", "vitest", "mocha"])
_NO_REPORT = "{framework} ended without a readable report"
_STOPPED = "the tests were stopped after {timeout} seconds: `task.test_timeout` sets the limit"


def build_report_options(command: TestCommand, file: Path) -> list[str]:
    """Return the options that make the command write its report into this file."""
    match command.framework:
        case "pytest":
            # xunit1 names each test's file; the cache is moved, not disabled: that would break
            # projects that configure it
            settings = ("junit_family=xunit1", f"cache_dir={file.parent / 'cache'}")
            return ["-q", f"--junitxml={file}", *(f"--override-ini={each}" for each in settings)]
        case "jest":
            return ["--json", f"--outputFile={file}"]
        case "vitest":
            reporters = ("--reporter=default", "--reporter=junit")
            return ["--run", *reporters, f"--outputFile.junit={file}"]
        case "mocha":
            return ["--reporter", "json", "--reporter-option", f"output={file}"]
        case _:
            return []


def read_report(command: TestCommand, file: Path, output: str, folder: Path) -> TestReport | None:
    """Return what the run reported in the file or its output; None if that cannot be read.

    `folder` is where it ran: names of tests do not depend on it.
    """
    match command.framework:
        case "pytest" | "vitest":
            return read_junit(_read_bytes(file), folder)
        case "jest":
            return read_jest(_read_bytes(file), folder)
        case "mocha":
            # versions before 9.2 write no file
            return read_mocha(_read_bytes(file) or output.encode(), folder)
        case "unittest":
            return read_unittest(output)
        case "go":
            return read_go(output)
        case "cargo":
            return read_cargo(output)
        case _:
            return read_summary(output)


def describe_missing_report(framework: Framework) -> str:
    """Return the problem of a run whose report cannot be read."""
    return text(_NO_REPORT, framework=framework)


def _read_bytes(file: Path) -> bytes:
    try:
        return b"" if file.stat().st_size > MAX_REPORT_BYTES else file.read_bytes()
    except OSError:
        return b""


@dataclass(frozen=True)
class _TestJob:
    """A test run with its settings."""

    command: TestCommand
    folder: Path
    timeout: float
    output: TestOutput
    temporary: Path
    sandbox: Sandbox | None
    coverage: CoverageTool | None

    @property
    def report(self) -> Path:
        return self.temporary / "report"

    @property
    def place(self) -> Path:
        return self.folder / self.command.folder


async def run_tests(
    command: TestCommand,
    folder: Path,
    timeout: float,
    on_output: Callable[[str], None],
    sandbox: Sandbox | None = None,
    arguments: Sequence[str] = (),
    coverage: CoverageTool | None = None,
) -> TestRun:
    """Run the tests in `folder`, at most `timeout` seconds; leaves no caches in the project.

    `arguments` are the user's, added at the end; with `coverage` it is measured.
    """
    if command.problem:
        return _build_failed_start(command, command.problem)
    output = TestOutput(
        on_output,
        format_go_line if command.framework == "go" else None,
        is_report=coverage is not None or _is_in_output(command),
    )
    folder_name = await asyncio.to_thread(tempfile.mkdtemp, prefix="maxagent-")
    temporary = Path(await asyncio.to_thread(os.path.realpath, folder_name))
    job = _TestJob(command, folder, timeout, output, temporary, sandbox, coverage)
    try:
        process_exit = await _stream(job, arguments)
        output.add(await asyncio.to_thread(_format_report, job))
        output.close()
        return await asyncio.to_thread(_build_run, job, process_exit)
    except ToolError as refusal:  # the sandbox cannot protect such a project
        return _build_failed_start(command, str(refusal))
    finally:
        await asyncio.to_thread(_remove_temporary, temporary, sandbox)


def _remove_temporary(temporary: Path, sandbox: Sandbox | None) -> None:
    """Remove the folder of the reports, and its mount point in the thread's own `/tmp`."""
    shutil.rmtree(temporary, ignore_errors=True)
    if sandbox and sandbox.temporary:
        with suppress(OSError):
            (sandbox.temporary / temporary.name).rmdir()


def _is_in_output(command: TestCommand) -> bool:
    """Return whether the output is the report, or may be: before 9.2 Mocha writes no file."""
    return command.framework not in WRITES_FILE or command.framework == "mocha"


async def _stream(job: _TestJob, arguments: Sequence[str]) -> ProcessExit:
    options = build_report_options(job.command, job.report)
    argv = [*job.command.argv, *options, *arguments]
    environment = {"PYTHONDONTWRITEBYTECODE": "1", **job.command.environment}
    if job.coverage:
        argv = job.coverage.wrap(argv, job.temporary)
        environment["COVERAGE_FILE"] = str(job.temporary / "coverage")
    caches = await asyncio.to_thread(make_caches, job.command, job.folder, job.sandbox)
    return await stream_inside(
        job.sandbox,
        argv,
        cwd=job.place,
        timeout=job.timeout,
        on_output=job.output.add,
        env={**environment, **caches},
        extra_writable=[job.temporary, *map(Path, caches.values())],
    )


def _build_failed_start(command: TestCommand, problem: str) -> TestRun:
    return TestRun(
        command.shown, None, None, None, None, None, "", problem, framework=command.framework
    )


def _build_run(job: _TestJob, process_exit: ProcessExit) -> TestRun:
    command, output = job.command, job.output
    report = read_report(command, job.report, output.report, job.place)
    problem = ""
    if command.framework in BY_EXIT_CODE:
        report = _keep_if_consistent(report, process_exit.exit_code)
    elif report is None:
        problem = describe_missing_report(command.framework)
    if process_exit.timed_out:
        problem = text(_STOPPED, timeout=f"{job.timeout:g}")
    denied = job.sandbox is not None and job.sandbox.denies_unix_sockets
    return TestRun(
        command=command.shown,
        exit_code=process_exit.exit_code,
        passed=report.passed if report else None,
        failed=report.failed if report else None,
        errors=report.errors if report else None,
        skipped=report.skipped if report else None,
        tail=output.tail + _explain_failure(job, process_exit, output.tail),
        problem=problem,
        timed_out=process_exit.timed_out,
        misses_socket=output.misses_socket and denied,
        framework=command.framework,
        failing=report.failing if report else (),
        coverage=(
            job.coverage.read_percent(output.report, job.temporary) if job.coverage else None
        ),
    )


def _explain_failure(job: _TestJob, process_exit: ProcessExit, output: str) -> str:
    reason = job.sandbox.explain_failure(output) if job.sandbox and process_exit.exit_code else ""
    return f"\n{reason}" if reason else ""


def _keep_if_consistent(report: TestReport | None, exit_code: int | None) -> TestReport | None:
    """Return the report if it agrees with the exit code; otherwise it is not about the tests."""
    if report is None or bool(report.red) != bool(exit_code):
        return None
    return report


def _format_report(job: _TestJob) -> bytes:
    """Return the report as text, for a framework that prints nothing else."""
    if job.command.framework != "mocha":
        return b""
    try:
        return format_mocha(job.report.read_bytes()).encode()
    except OSError:
        return b""
