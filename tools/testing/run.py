"""The result of a test run, and its verdict."""

import re
from dataclasses import dataclass
from typing import ClassVar, Literal

from ...config.text import text
from .command import Framework

# exit code of pytest, and of unittest since Python 3.12, when there are no tests
NO_TESTS = 5
_NO_TESTS_FOUND = re.compile(r"\bno tests? (?:files? )?found\b", re.IGNORECASE)
SAME_SECTION = "(the same as above)\n"
# the headings of failures of pytest and of unittest
_SECTION = re.compile(r"^(_{3,} .+ _{3,}\n|={20,}\n(?:ERROR|FAIL): .+\n)", re.MULTILINE)
_SUMMARY = re.compile(r"^(?:=+ .* =+|-{20,}\nRan \d+ tests? .*)\n", re.MULTILINE)
_SCRIPT_FRAMEWORKS = ("jest", "vitest", "mocha")


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
    framework: Framework = "configured"
    failing: tuple[str, ...] = ()
    """Names of what failed, as far as the command reports them."""
    coverage: float | None = None
    """Percent of the code that the tests ran; None if it was not measured."""

    @property
    def red(self) -> int:
        """Number of tests and files that failed, as far as the command reports them."""
        return (self.failed or 0) + (self.errors or 0)

    @property
    def names_all_red(self) -> bool:
        """Whether all that failed is known by name, and nothing else made the run fail."""
        return bool(self.failing) and len(self.failing) == self.red and not self.timed_out


@dataclass(frozen=True)
class RunVerdict:
    """The verdict on a run, and the reason."""

    verdict: Literal["passed", "failed", "unverified"]
    reason: str


def evaluate_run(run: TestRun) -> RunVerdict:
    """Return `passed` only if tests ran and all passed, `unverified` if none ran."""
    counts, code = format_counts(run), run.exit_code
    if code is None:
        return RunVerdict("unverified", run.problem)
    if run.timed_out or run.red:
        return RunVerdict("failed", run.problem or counts)
    if code and _found_no_tests(run):
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


def format_counts(run: TestRun) -> str:
    """Return the counts in words; empty if there are none."""
    counts = {
        "failed": run.failed,
        "errors": run.errors,
        "passed": run.passed,
        "skipped": run.skipped,
    }
    return ", ".join(f"{count} {word}" for word, count in counts.items() if count)


def _found_no_tests(run: TestRun) -> bool:
    if run.framework in _SCRIPT_FRAMEWORKS:
        return not run.passed and bool(_NO_TESTS_FOUND.search(run.tail))
    is_python = run.framework in ("pytest", "unittest") or "pytest" in run.command
    return run.exit_code == NO_TESTS and is_python


def shorten_output(output: str, length: int) -> str:
    """Return the end of a test run's output, at most `length` characters, from a whole line on.

    A section that only repeats an earlier one for another test is named alone.
    """
    shortened = _name_repeated_sections(output)
    if len(shortened) <= length:
        return shortened
    end = shortened[-length - 1 :].partition("\n")[2]
    return end or shortened[-length:]


def _name_repeated_sections(output: str) -> str:
    first, *parts = _SECTION.split(output)
    bodies, sections = set[str](), [first]
    for heading, body in zip(parts[::2], parts[1::2], strict=True):
        # the headings, and the paths in the sections, name the tests
        names = "|".join(map(re.escape, re.findall(r"[\w./]*\w", heading.strip("_=\n "))))
        summary = _SUMMARY.search(body)
        end = summary.start() if summary else len(body)
        same = re.sub(rf"\S*(?:{names})\S*", "", body[:end])
        is_new = end <= len(SAME_SECTION) or same not in bodies
        bodies.add(same)
        sections += [heading, body[:end] if is_new else SAME_SECTION, body[end:]]
    return "".join(sections)
