"""What a test run reported: counts, and the names of the tests that failed."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal, cast

TestState = Literal["passed", "failed", "error", "skipped"]


@dataclass(frozen=True)
class TestReport:
    """Counts of tests by how they ended."""

    __test__: ClassVar[bool] = False  # else pytest would collect it
    passed: int = 0
    failed: int = 0
    errors: int = 0
    """What failed outside of a test: files that cannot be loaded, broken fixtures."""
    skipped: int = 0
    failing: tuple[str, ...] = ()
    """Names of what failed, also outside of a test; some may be unknown."""

    @property
    def red(self) -> int:
        """Number of all that failed."""
        return self.failed + self.errors


def build_report(tests: Iterable[tuple[str, TestState]]) -> TestReport:
    """Build a report from names and states; a name may be empty, or shared by several tests."""
    results = list(tests)
    counts = Counter(state for _, state in results)
    red = [name for name, state in results if name and state in ("failed", "error")]
    return TestReport(
        counts["passed"], counts["failed"], counts["error"], counts["skipped"], tuple(red)
    )


def read_text(value: object) -> str:
    """Return a JSON value as one line of text; empty if it is not a string."""
    return " ".join(value.split()) if isinstance(value, str) else ""


def read_table(value: object) -> Mapping[str, object]:
    """Return a JSON value as an object; empty if it is not one."""
    return cast(Mapping[str, object], value) if isinstance(value, dict) else {}


def read_list(value: object) -> list[object]:
    """Return a JSON value as a list; empty if it is not one."""
    return cast(list[object], value) if isinstance(value, list) else []
