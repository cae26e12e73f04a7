"""Choice of the attempt to keep, with the reason for each (pure)."""

import re
from collections.abc import Collection, Sequence
from pathlib import PurePosixPath

from ...config.text import text
from ...memory.snapshots.file_version import PathChange
from ..state import AttemptResult

GREEN = "its tests pass, and no smaller change passes: {lines} lines"
LARGER = "its tests pass, but attempt {number} changes fewer lines"
LATER = "its tests pass, but attempt {number} changes as few lines and comes first"
TESTS_CHANGED = "it changed existing tests: {paths}"
ONLY_GREEN = "no other attempt passes its tests, but it changed existing tests: {paths}"
# Tests to name in a reason
_SHOWN = 3
_TEST_NAME = re.compile(
    r"(test_.*|.*_test|.*[.-](test|spec|tests)|conftest|.*_spec|.*Tests?|.*Spec)\.[A-Za-z0-9]+"
)
_TEST_FOLDERS = frozenset(["test", "tests", "__tests__", "spec", "specs"])


def rank_attempts(results: Sequence[AttemptResult]) -> AttemptResult | None:
    """Return the attempt to keep; None if no tests are green.

    The smallest change wins, then the first attempt. An attempt that changed existing tests is kept
    only if no other one is green.
    """
    green = [result for result in results if is_green(result)]
    return min(green, key=_get_rank, default=None)


def is_green(result: AttemptResult) -> bool:
    """Return whether the attempt is verified by its tests."""
    return result["outcome"] == "verified"


def mark_kept_attempt(results: Sequence[AttemptResult]) -> list[AttemptResult]:
    """Return the results with the attempt to keep marked, and the reason for each green one."""
    best = rank_attempts(results)
    return [
        {**result, "kept": result is best, "reason": _explain(result, best)} for result in results
    ]


def _get_rank(result: AttemptResult) -> tuple[bool, int, int]:
    return (bool(result["tests_changed"]), result["lines"], result["number"])


def _explain(result: AttemptResult, best: AttemptResult | None) -> str:
    if best is None or not is_green(result):
        return result["reason"]
    changed = ", ".join(f"`{path}`" for path in result["tests_changed"][:_SHOWN])
    if result is best:
        if changed:
            return text(ONLY_GREEN, paths=changed)
        return text(GREEN, lines=result["lines"])
    if changed:
        return text(TESTS_CHANGED, paths=changed)
    reason = LATER if result["lines"] == best["lines"] else LARGER
    return text(reason, number=best["number"])


def count_lines(diff: str) -> int:
    """Count the added and removed lines of a unified diff; a binary file counts as one."""
    count, in_hunk = 0, False
    for line in diff.splitlines():
        if line.startswith("diff --git "):
            in_hunk = False
        elif line.startswith("@@"):
            in_hunk = True
        elif line.startswith("Binary files ") or (in_hunk and line[:1] in ("+", "-")):
            count += 1
    return count


def find_changed_tests(changes: Collection[PathChange]) -> list[str]:
    """Return the existing tests that were changed or deleted."""
    before = [change.path for change in changes if change.kind != "added"]
    return sorted(path for path in before if is_test_path(path))


def is_test_path(path: str) -> bool:
    """Return whether a file holds tests or their fixtures, by the conventions of any language."""
    pure_path = PurePosixPath(path)
    return bool(_TEST_NAME.fullmatch(pure_path.name)) or bool(
        _TEST_FOLDERS & set(pure_path.parts[:-1])
    )
