"""A unified diff in colour: added green, removed red; plain where there is no colour."""

from rich.console import Console

from .screen import styled

MOST_LINES = 400


def show_diff(console: Console, diff: str, *, indent: str) -> None:
    """Print the diff; a very long one is cut, and says so."""
    lines = diff.splitlines()
    for line in lines[:MOST_LINES]:
        console.print(styled(indent + line, _style(line)))
    if len(lines) > MOST_LINES:
        console.print(styled(f"{indent}… {len(lines) - MOST_LINES} lines more", "dim"))


def _style(line: str) -> str:
    if line.startswith(("+++", "---", "diff ", "index ")):
        return "bold"
    if line.startswith("@@"):
        return "cyan"
    return {"+": "green", "-": "red"}.get(line[:1], "")
