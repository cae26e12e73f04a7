"""The summary that unittest prints."""

import re

from .report import TestReport

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
