"""A unified diff in colour: added green, removed red; plain where there is no colour."""

from rich.console import Console

from ..i18n.catalogs import t
from .console import styled

MOST_LINES = 400


def show_diff(console: Console, diff: str, *, indent: str, most: int | None = MOST_LINES) -> None:
    """Print the diff; one longer than `most` lines is cut, and says so."""
    lines = diff.removesuffix("\n").split("\n")  # only `\n` ends a line of a diff
    for line in lines[:most]:
        console.print(styled(indent + line, _style(line)))
    if most is not None and len(lines) > most:
        console.print(styled(f"{indent}… {t('diff.more', count=len(lines) - most)}", "dim"))


def _style(line: str) -> str:
    if line.startswith(("+++", "---", "diff ", "index ")):
        return "bold"
    if line.startswith("@@"):
        return "cyan"
    return {"+": "green", "-": "red"}.get(line[:1], "")
