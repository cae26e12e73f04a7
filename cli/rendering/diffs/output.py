"""A unified diff on a console: laid out at a terminal, elsewhere as it is."""

from rich.console import Console
from rich.text import Text

from ...i18n.catalogs import t
from ..console import can_redraw, style_text

MAX_LINES = 400


def show_diff(console: Console, diff: str, *, indent: str, most: int | None = MAX_LINES) -> int:
    """Print the diff; cut one longer than `most` lines and report the cut; return how many rows.

    A terminal gets it with line numbers and syntax.
    """
    if can_redraw(console):
        from .layout import fold_rows

        rows = fold_rows(render_diff(diff, max(console.width - len(indent), 1)), most)
        for row in rows:
            console.print(Text.assemble(indent, row) if row else row)
        return len(rows)
    lines = diff.removesuffix("\n").split("\n")  # only `\n` ends a line of a diff
    for line in lines[:most]:
        console.print(style_text(indent + line, _choose_style(line)))
    if most is not None and len(lines) > most:
        console.print(style_text(f"{indent}… {t('diff.more', count=len(lines) - most)}", "dim"))
    return len(lines[:most])


def render_diff(diff: str, width: int, *, has_name: bool = True) -> list[Text]:
    """Return the rows of a diff, under the name of each file unless that is said already."""
    from .layout import render_file_head, render_hunks
    from .parser import parse_diff

    rows: list[Text] = []
    for number, file in enumerate(parse_diff(diff)):
        rows += [Text()] if number else []
        rows += [render_file_head(file)] if has_name else []
        rows += render_hunks(file, width)
    return rows


def _choose_style(line: str) -> str:
    if line.startswith(("+++", "---", "diff ", "index ")):
        return "bold"
    if line.startswith("@@"):
        return "cyan"
    return {"+": "green", "-": "red"}.get(line[:1], "")


def join_diff_rows(diff: str, width: int) -> Text:
    """Return the rows of a diff as one text."""
    return Text("\n").join(render_diff(diff, width))
