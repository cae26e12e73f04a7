"""The output of `cargo test`, which has no report on stable Rust."""

import re
from collections import Counter

from .report import TestReport

_TARGET = re.compile(r"^\s+(?:Running (?:unittests )?(\S+)|(Doc-tests \S+))")
_TEST = re.compile(r"^test (.+?)(?: - should panic)? \.\.\. (ok|FAILED|ignored)\b")
_RESULT = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored;")
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
        elif match := _RESULT.match(line):
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
