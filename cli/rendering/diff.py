"""A unified diff in colour: added green, removed red; plain where there is no colour."""

import re

from rich.console import Console

from ..i18n.catalogs import t
from .console import style_text

MOST_LINES = 400
_FILE = re.compile(r"^(?=diff --git )", re.MULTILINE)
_HUNKS = re.compile(r"^@@.*", re.MULTILINE | re.DOTALL)


class ShownDiffs:
    """The changes that a run has shown, so that its end does not repeat them."""

    def __init__(self) -> None:
        self._hunks: set[str] = set()

    def add(self, diff: str) -> None:
        """Note that a diff was shown."""
        self._hunks.update(filter(None, map(_extract_hunks, _FILE.split(diff))))

    def filter_unshown(self, diff: str) -> str:
        """The files of a diff whose change was not shown in exactly this form."""
        parts = _FILE.split(diff)
        return "".join(part for part in parts if _extract_hunks(part) not in self._hunks)


def show_diff(console: Console, diff: str, *, indent: str, most: int | None = MOST_LINES) -> None:
    """Print the diff; one longer than `most` lines is cut, and says so."""
    lines = diff.removesuffix("\n").split("\n")  # only `\n` ends a line of a diff
    for line in lines[:most]:
        console.print(style_text(indent + line, _choose_style(line)))
    if most is not None and len(lines) > most:
        console.print(style_text(f"{indent}… {t('diff.more', count=len(lines) - most)}", "dim"))


def _extract_hunks(file_diff: str) -> str:
    """What changed in a file, without the header that each maker of diffs writes in its own way."""
    found = _HUNKS.search(file_diff)
    return found[0].strip("\n") if found else ""


def _choose_style(line: str) -> str:
    if line.startswith(("+++", "---", "diff ", "index ")):
        return "bold"
    if line.startswith("@@"):
        return "cyan"
    return {"+": "green", "-": "red"}.get(line[:1], "")
