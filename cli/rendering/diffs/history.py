"""The diffs that a run has shown."""

import re

_FILE = re.compile(r"^(?=diff --git )", re.MULTILINE)
_Changes = tuple[tuple[str, str, int, str], ...]


class ShownDiffs:
    """Diffs that a run has shown, so that its end does not repeat them."""

    def __init__(self) -> None:
        self._changes: set[_Changes] = set()

    def add(self, diff: str) -> None:
        """Record that a diff was shown."""
        self._changes.update(filter(None, map(_list_changes, _FILE.split(diff))))

    def filter_unshown(self, diff: str) -> str:
        """Return the files of a diff whose changed lines were not shown together."""
        parts = _FILE.split(diff)
        return "".join(part for part in parts if _list_changes(part) not in self._changes)


def _list_changes(diff: str) -> _Changes:
    """List the changed lines: headers and the lines around differ between diff programs."""
    from .parser import parse_diff  # a first request shows no diff

    return tuple(
        (file.path, line.kind, line.number, line.text)
        for file in parse_diff(diff)
        for hunk in file.hunks
        for line in hunk
        if line.kind != "context"
    )
