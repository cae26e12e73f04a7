"""A thread's steps as a table: who said what, with which tools, and which files changed."""

import json
from dataclasses import asdict

import typer

from ..config import paths
from ..memory.thread_row import ThreadRow
from ..sdk.steps import StepLine, branches_of, steps
from .i18n import t
from .safe_text import safe_line
from .table import is_narrow, show_table
from .threads import when


def show_steps(row: ThreadRow, *, as_json: bool) -> None:
    """Print them on stdout; those that were left by going back are named on stderr."""
    lines = steps(row, paths.home())
    if as_json:
        mappings = [asdict(line) for line in lines]
        typer.echo(json.dumps(mappings, indent=2, ensure_ascii=False))
        return
    said, files, tools = t("steps.said"), t("steps.files"), t("steps.tools")
    headers = [t("steps.step"), t("steps.role"), said, tools, files, t("steps.at")]
    shown = headers[:3] if is_narrow() else headers
    show_table(shown, [_cells(line)[: len(shown)] for line in lines], cut=(said, files, tools))
    _say_left(row, lines)


def _cells(line: StepLine) -> list[str]:
    """Of a step, all columns."""
    words = safe_line(line.words)
    return [
        str(line.number),
        line.role or t("steps.you"),
        words if line.checkpoint_id else f"{words} ({t('steps.under_way')})".lstrip(),
        ", ".join(line.tools),
        ", ".join(map(safe_line, line.files)),
        when(line.at),
    ]


def _say_left(row: ThreadRow, lines: list[StepLine]) -> None:
    known = branches_of(row, paths.home())
    last = lines[-1].number if lines else 0
    left = {step.number for branch in known.left for step in branch if step.number > last}
    if left:
        typer.echo(t("steps.left", first=min(left), last=max(left)), err=True)
