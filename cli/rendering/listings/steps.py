"""A thread's steps as a table: messages, tools, and changed files."""

import re
from dataclasses import asdict

from ....config import paths
from ....memory.threads.record import ThreadRow
from ....sdk.threads.steps import StepSummary, read_thread_branches, summarize_steps
from ...i18n.catalogs import t
from ..humanize import format_age
from ..output import echo, echo_json
from ..table import is_narrow, show_table
from ..text_width import shorten_text

# Columns of a terminal from which there is room for the tools as well
WIDE = 100
# Columns of a message: a pipe takes any, but its reader looks for a step
MAX_TEXT_WIDTH = 100
# Marks that Markdown puts around words and before a line
_MARKS = re.compile(r"\*\*|`|^(?:#+|[-*>]|\d+\.)\s+")


def show_steps(row: ThreadRow, *, as_json: bool) -> None:
    """Print the steps on stdout; name abandoned ones on stderr."""
    lines = summarize_steps(row, paths.locate_home())
    if as_json:
        mappings = [asdict(line) for line in lines]
        echo_json(mappings)
        return
    show_lines(lines)
    _show_abandoned_steps(row, lines)


def show_lines(lines: list[StepSummary]) -> None:
    """Print the table, with as many columns as leave room for the message."""
    heading, files, tools = t("steps.said"), t("steps.files"), t("steps.tools")
    headers = [t("steps.step"), t("steps.role"), heading, t("steps.at"), files, tools]
    visible_headers = headers[: 3 if is_narrow() else 5 if is_narrow(WIDE) else 6]
    show_table(
        visible_headers,
        [_build_cells(line)[: len(visible_headers)] for line in lines],
        cut=(heading, files, tools),
    )


def _build_cells(line: StepSummary) -> list[str]:
    """Return the cells of all columns of a step."""
    words = shorten_text(_MARKS.sub("", line.words), MAX_TEXT_WIDTH)
    return [
        str(line.number),
        line.role or t("steps.you"),
        words if line.checkpoint_id else f"{words} ({t('steps.under_way')})".lstrip(),
        format_age(line.at),
        ", ".join(line.files),
        ", ".join(line.tools),
    ]


def _show_abandoned_steps(row: ThreadRow, lines: list[StepSummary]) -> None:
    branches = read_thread_branches(row, paths.locate_home())
    last = lines[-1].number if lines else 0
    left = {step.number for branch in branches.abandoned for step in branch if step.number > last}
    if left:
        key = "steps.left" if len(left) > 1 else "steps.left.one"
        echo(t(key, first=min(left), last=max(left)), err=True)
