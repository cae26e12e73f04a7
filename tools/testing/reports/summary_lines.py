"""The last summary in the output of a script or a target of make, which may run anything."""

import re
from collections import Counter
from collections.abc import Callable

from .report import TestReport

_TARGET = re.compile(r"^\s+(?:Running (?:unittests )?(\S+)|(Doc-tests \S+))")
_TEST = re.compile(r"^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b")
_CARGO_RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;")
_SECTION = re.compile(r"^---- (.+?) stdout ----$")
_BROKEN = re.compile(r"^error(?:: could not compile `([^`]+)`|\[E\d+\])")
_KILLED = re.compile(r"^\s+process didn't exit successfully: .*\(signal:")


def read_cargo(output: str) -> TestReport | None:
    """Return the sum of all programs of tests; None if none has ended."""
    counts: Counter[str] = Counter()
    names: dict[str, None] = {}
    broken: dict[str, None] = {}
    target, results_seen = "", 0
    for line in output.splitlines():
        if match := _TARGET.match(line):
            target = match[1] or match[2]
        elif match := _CARGO_RESULT.match(line):
            results_seen += 1
            for state, count in zip(("passed", "failed", "skipped"), match.groups(), strict=True):
                counts[state] += int(count[:9])
        elif match := _TEST.match(line):
            names |= {f"{target} {match[1]}": None} if match[2] == "FAILED" else {}
        elif match := _SECTION.match(line):  # its own line may hold what the test printed
            names[f"{target} {match[1].removesuffix(' - should panic')}"] = None
        elif (match := _BROKEN.match(line)) and match[1]:
            broken[match[1]] = None
        elif _KILLED.match(line):
            broken[target] = None
    if not results_seen and not broken:
        return None
    return TestReport(
        counts["passed"], counts["failed"], len(broken), counts["skipped"], (*names, *broken)
    )


_RAN = re.compile(r"^Ran (\d{1,9}) tests? in ", re.MULTILINE)
_RESULT = re.compile(r"^(?:OK|FAILED|NO TESTS RAN)(?: \(([^)\n]*)\))?[ \t]*$", re.MULTILINE)
_RED = re.compile(r"^(?:FAIL|ERROR|UNEXPECTED SUCCESS): (.+)$", re.MULTILINE)
# what follows a test's name and place
_SUBTEST = re.compile(r"(?<=\)) [\[(].*$")


def read_unittest(output: str) -> TestReport | None:
    """Return the report of the last summary; None if there is none."""
    ran = [*_RAN.finditer(output)]
    result = _RESULT.search(output, ran[-1].end()) if ran else None
    if result is None:
        return None
    counts: dict[str, int] = {}
    for part in (result[1] or "").split(", "):
        name, _, count = part.partition("=")
        counts[name] = int(count[:9]) if count.isdecimal() and count.isascii() else 0
    failed = counts.get("failures", 0) + counts.get("unexpected successes", 0)
    errors = counts.get("errors", 0)
    skipped = counts.get("skipped", 0) + counts.get("expected failures", 0)
    names = [match[1].strip() for match in _RED.finditer(output, 0, ran[-1].start())]
    # each red subtest counts as a failure, but its test only once among those that ran
    subtests = len(names) - len({_SUBTEST.sub("", name) for name in names})
    passed = int(ran[-1][1]) - failed - errors + subtests - skipped
    return TestReport(max(0, passed), failed, errors, skipped, tuple(dict.fromkeys(names)))


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
