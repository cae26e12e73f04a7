"""Options that make a framework write its report, and the reader of each report."""

from pathlib import Path

from ...config.text import text
from .command import Framework, TestCommand
from .output import MAX_REPORT_BYTES
from .reports.cargo import read_cargo
from .reports.go import read_go
from .reports.junit import read_junit
from .reports.report import TestReport
from .reports.script_json import read_jest, read_mocha
from .reports.summary_lines import read_summary
from .reports.unittest import read_unittest

# frameworks that write a file; the output of the others is their report
WRITES_FILE: frozenset[Framework] = frozenset(["pytest", "jest", "vitest", "mocha"])
_NO_REPORT = "{framework} ended without a readable report"


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
