"""A unified diff in colour: added green, removed red; plain text where there is no colour."""

import re

from rich.console import Console

from ..i18n.catalogs import t
from .console import style_text

MAX_LINES = 400
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


def show_diff(console: Console, diff: str, *, indent: str, most: int | None = MAX_LINES) -> None:
    """Print the diff; cut one longer than `most` lines and report the cut."""
    lines = diff.removesuffix("\n").split("\n")  # only `\n` ends a line of a diff
    for line in lines[:most]:
        console.print(style_text(indent + line, _choose_style(line)))
    if most is not None and len(lines) > most:
        console.print(style_text(f"{indent}… {t('diff.more', count=len(lines) - most)}", "dim"))


def _extract_hunks(file_diff: str) -> str:
    """Return the hunks of a file without the header, which differs between diff programs."""
    match = _HUNKS.search(file_diff)
    return match[0].strip("\n") if match else ""


def _choose_style(line: str) -> str:
    if line.startswith(("+++", "---", "diff ", "index ")):
        return "bold"
    if line.startswith("@@"):
        return "cyan"
    return {"+": "green", "-": "red"}.get(line[:1], "")
