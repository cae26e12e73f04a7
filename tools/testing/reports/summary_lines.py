"""The last summary in the output of a script or a target of make, which may run anything."""

import re
from collections.abc import Callable

from .cargo import read_cargo
from .report import TestReport
from .unittest import read_unittest

_COUNT = re.compile(r"(\d{1,9}) (passed|failed|skipped|errors?|todo|pending|xfailed|xpassed)\b")
_JEST = re.compile(r"^Tests:\s+(\d.*)$", re.MULTILINE)
_VITEST = re.compile(r"^\s+Tests  (\d.*)$", re.MULTILINE)
_PYTEST = re.compile(r"^(?:=+ )?((?:\d+ \w+(?:, )?)+) in [\d.]+s.*$", re.MULTILINE)
_PYTEST_RED = re.compile(r"^(?:FAILED|ERROR) (\S+(?: [^-\n]+)?)(?: - .*)?$", re.MULTILINE)
_MOCHA = re.compile(r"^\s+(\d{1,9}) (passing|failing|pending)\b", re.MULTILINE)
_NODE = re.compile(r"^(?:#|ℹ) (pass|fail|skipped|todo|cancelled) (\d{1,9})$", re.MULTILINE)
_ESCAPES = re.compile(r"\x1b\[[0-9;]*m")


def read_summary(output: str) -> TestReport | None:
    """Return the counts; None if the output has no framework's summary, or several."""
    plain = _ESCAPES.sub("", output)
    reports = [report for read in _READERS if (report := read(plain))]
    return reports[0] if len(reports) == 1 else None


def _read_pytest(output: str) -> TestReport | None:
    lines = [*_PYTEST.finditer(output)]
    report = _read_counts(lines[-1][1]) if lines else None
    if report is None:
        return None
    names = dict.fromkeys(match[1].strip() for match in _PYTEST_RED.finditer(output))
    return TestReport(report.passed, report.failed, report.errors, report.skipped, tuple(names))


def _read_jest(output: str) -> TestReport | None:
    lines = [*_JEST.finditer(output)]
    return _read_counts(lines[-1][1]) if lines else None


def _read_vitest(output: str) -> TestReport | None:
    lines = [*_VITEST.finditer(output)]
    return _read_counts(lines[-1][1]) if lines else None


def _read_mocha(output: str) -> TestReport | None:
    counts = {match[2]: int(match[1]) for match in _MOCHA.finditer(output)}
    if "passing" not in counts:
        return None
    return TestReport(counts["passing"], counts.get("failing", 0), 0, counts.get("pending", 0))


def _read_node(output: str) -> TestReport | None:
    counts = {match[1]: int(match[2]) for match in _NODE.finditer(output)}
    if not {"pass", "fail"} <= counts.keys():
        return None
    left_out = counts.get("skipped", 0) + counts.get("todo", 0)
    return TestReport(counts["pass"], counts["fail"] + counts.get("cancelled", 0), 0, left_out)


def _read_counts(line: str) -> TestReport | None:
    counts = {match[2].removesuffix("s"): int(match[1]) for match in _COUNT.finditer(line)}
    if not counts:
        return None
    skipped = sum(counts.get(name, 0) for name in ("skipped", "todo", "pending", "xfailed"))
    failed = counts.get("failed", 0) + counts.get("xpassed", 0)
    return TestReport(counts.get("passed", 0), failed, counts.get("error", 0), skipped)


_READERS: tuple[Callable[[str], TestReport | None], ...] = (
    _read_pytest,
    read_unittest,
    read_cargo,
    _read_jest,
    _read_vitest,
    _read_mocha,
    _read_node,
)
