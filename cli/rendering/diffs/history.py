"""The diffs that a run has shown."""

import re

KEPT_DIFFS = set[str]()
"""Diffs of questions that stay above: a question that vanishes with its answer keeps none."""

_FILE = re.compile(r"^(?=diff --git )", re.MULTILINE)
_Change = tuple[str, str, int, str]


class ShownDiffs:
    """Diffs that a run has shown, so that its end does not repeat them."""

    def __init__(self) -> None:
        self._changes: set[_Change] = set()

    def add(self, diff: str) -> None:
        """Record that a diff was shown."""
        self._changes |= _list_changes(diff)

    def filter_unshown(self, diff: str) -> str:
        """Return the files of a diff of which a changed line was not shown."""
        all_changes = self._changes.union(*map(_list_changes, KEPT_DIFFS))
        return "".join(
            part
            for part in _FILE.split(diff)
            if not (changes := _list_changes(part)) or not changes <= all_changes
        )


def _list_changes(diff: str) -> set[_Change]:
    """List the changed lines: headers and the lines around differ between diff programs."""
    from .parser import parse_diff  # a first request shows no diff

    return {
        (file.path, line.kind, line.number, line.text)
        for file in parse_diff(diff)
        for hunk in file.hunks
        for line in hunk
        if line.kind != "context"
    }
