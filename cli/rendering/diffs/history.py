"""The diffs that a run has shown."""

import re

_FILE = re.compile(r"^(?=diff --git )", re.MULTILINE)
_HUNKS = re.compile(r"^@@.*", re.MULTILINE | re.DOTALL)


class ShownDiffs:
    """Diffs that a run has shown, so that its end does not repeat them."""

    def __init__(self) -> None:
        self._hunks: set[str] = set()

    def add(self, diff: str) -> None:
        """Record that a diff was shown."""
        self._hunks.update(filter(None, map(_extract_hunks, _FILE.split(diff))))

    def filter_unshown(self, diff: str) -> str:
        """Return the files of a diff whose change was not shown in exactly this form."""
        parts = _FILE.split(diff)
        return "".join(part for part in parts if _extract_hunks(part) not in self._hunks)


def _extract_hunks(file_diff: str) -> str:
    """Return the hunks of a file without the header, which differs between diff programs."""
    match = _HUNKS.search(file_diff)
    return match[0].strip("\n") if match else ""
