"""What is shown of sub-agents and attempts: a line for the start and end of each, and notices."""

import re
from collections.abc import Collection, Mapping
from typing import Any

from rich.text import Text

from ....sdk import events as ev
from ...i18n.catalogs import t
from ...i18n.message_translation import translate_notice
from ...i18n.stored_messages import translate_stored
from ..console import style_text
from ..humanize import format_cost, format_count
from ..line_breaks import split_rows
from ..listings.threads import SHORT_ID
from ..sanitize import sanitize_line
from ..table import align_columns
from ..text_width import measure_width
from .child_line import MARKS

MAX_TASK_LENGTH = 100
# How the notice begins that names the files of the other attempts' changes
_SAVED_CHANGES = re.compile(r"the changes of the other attempts\b")
# Cells that a child's name and task keep beside what it took
MIN_HEAD = 16

# A report's head for the model, of which the row above says all
_HEADER = re.compile(r"^\[[\w-]+: [^\]\n]*\]\n?")


class SubagentLines:
    """The lines of several runs; the start of a child is shown once, not after each answer."""

    def __init__(self) -> None:
        self._thread = ""
        self._started = set[tuple[str, str]]()

    def format_line(self, event: ev.Event) -> str:
        """Return the line; empty if there is none, or the child's start was shown before."""
        if isinstance(event, ev.RunStarted):
            self._thread = event.thread_id
        if isinstance(event, ev.SubagentStarted):
            child = (self._thread, event.sub_id)
            if child in self._started:
                return ""
            self._started.add(child)
        return format_subagent_line(event)


class SubagentRows:
    """The sub-agents of one call as rows below it: task, outcome, and the first line of a report.

    Those that work have moving lines of their own.
    """

    def __init__(self) -> None:
        self._tasks: dict[str, str] = {}
        self._ended: dict[str, ev.SubagentFinished] = {}

    def take_event(self, event: ev.Event) -> bool:
        """Keep the start or the end of a child; return whether it is one."""
        if isinstance(event, ev.SubagentStarted):
            self._tasks.setdefault(event.sub_id, " ".join(event.task.split()))
        elif isinstance(event, ev.SubagentFinished):
            self._ended[event.sub_id] = event
        else:
            return False
        return True

    def take_rows(self, width: int) -> list[Text]:
        """Return the rows of all children so far, and forget them."""
        rows: list[Text] = []
        for sub_id in dict.fromkeys([*self._tasks, *self._ended]):
            task = self._tasks.get(sub_id, "")
            rows += _build_child_rows(sub_id, task, self._ended.get(sub_id), width)
        self._tasks.clear()
        self._ended.clear()
        return rows


def _build_child_rows(
    sub_id: str, task: str, end: ev.SubagentFinished | None, width: int
) -> list[Text]:
    status = end.status if end else "running"
    mark, style = MARKS[status]
    facts = [] if status == "done" else [t(f"child.status.{status}")]
    if end:
        used = end.usage.get("input", 0) + end.usage.get("output", 0)
        facts.append(t("child.tokens", count=format_count(used)))
    head = Text.assemble((f"{mark} ", style or "green"), style_text(sub_id, "bold"), "  ")
    head.append_text(style_text(sanitize_line(task), ""))
    right = " · ".join(facts)
    head.truncate(max(width - measure_width(right) - 2, MIN_HEAD), overflow="ellipsis")
    rows = [Text.assemble(head, (f"  {right}", "dim"))]
    answer = _HEADER.sub("", end.report.strip(), count=1).strip() if end else ""
    if report := answer.partition("\n")[0]:
        rows.append(style_text(f"  └ {sanitize_line(report).replace('`', '')}", "dim"))
        rows[-1].truncate(width, overflow="ellipsis")
    return rows


def build_attempt_table(event: ev.AttemptsCompared, width: int) -> list[Text]:
    """Return heads, and a line for each attempt; below each stands why it is kept, or not."""
    columns = ["number", "tests", "lines", "tokens", "cost", "thread"]
    cells = [_list_attempt_cells(attempt) for attempt in event.attempts]
    used_columns = [name for name in columns if any(row[name] for row in cells)]
    heads = {name: t(f"attempt.head.{name}") for name in columns}
    heads["number"] = f"  {heads['number']}"
    lines = align_columns([[row[name] for name in used_columns] for row in (heads, *cells)])
    for name in ("cost", "tokens", "lines"):
        if max(map(measure_width, lines)) > width and name in used_columns:
            used_columns.remove(name)
            lines = align_columns([[row[name] for name in used_columns] for row in (heads, *cells)])
    rows = [Text(lines[0], "dim")]
    for attempt, line in zip(event.attempts, lines[1:], strict=True):
        rows.append(Text(line, "bold green" if attempt.get("kept") else ""))
        reason = sanitize_line(translate_stored(str(attempt.get("reason") or "")))
        rows += [
            Text.assemble("  ", (row, "dim")) for row in split_rows(reason, width - 2) if reason
        ]
    rows.append(Text(t("attempt.diff"), "dim"))
    for row in rows:
        row.truncate(width, overflow="ellipsis")
    return rows


def is_in_attempt_table(notice: str, reasons: Collection[str]) -> bool:
    """Return whether the table says it: why an attempt is kept, or where the changes are."""
    return bool(reasons) and (
        notice.rpartition("kept: ")[2] in reasons or bool(_SAVED_CHANGES.match(notice))
    )


def _list_attempt_cells(attempt: Mapping[str, Any]) -> dict[str, str]:
    usage: Mapping[str, Any] = attempt.get("usage") or {}
    counts = [(name, attempt.get(name) or 0) for name in ("passed", "failed")]
    tests = [t(f"attempt.table.{name}", **{name: count}) for name, count in counts if count]
    mark = "✓ " if attempt.get("kept") else "  "
    return {
        "number": f"{mark}{attempt['number']}",
        "tests": ", ".join(tests),
        "lines": t("attempt.table.lines", count=attempt["lines"]) if "lines" in attempt else "",
        "tokens": format_count(usage.get("input", 0) + usage.get("output", 0)),
        "cost": format_cost(usage["cost"]) if usage.get("cost") else "",
        "thread": str(attempt.get("thread_id", ""))[:SHORT_ID],
    }


def has_moving_line(event: ev.Event) -> bool:
    """Return whether it only changes the moving line of a sub-agent or an attempt."""
    is_theirs = ev.is_from_subagent(event) or isinstance(event, ev.AttemptProgress)
    return is_theirs and not format_subagent_line(event)


def format_subagent_line(event: ev.Event) -> str:
    """Return the line; empty for events that show nothing of a sub-agent or an attempt."""
    match event:
        case ev.SubagentStarted(sub_id=sub_id, task=task):
            line = sanitize_line(" ".join(task.split()))
            line = line if len(line) <= MAX_TASK_LENGTH else f"{line[: MAX_TASK_LENGTH - 1]}…"
            return t("subagent.started", agent=sub_id, task=line)
        case ev.SubagentFinished(sub_id=sub_id, status=status, usage=usage):
            return t(f"subagent.{status}", agent=sub_id, **_count(usage))
        case ev.AttemptProgress(status=status) if status in ("running", "interrupted"):
            return ""
        case ev.AttemptProgress(number=number, usage=usage):
            return t("attempt.ended", number=number, **_count(usage))
        case ev.AttemptsCompared(usage=usage):
            cost = usage.get("cost")
            line = t("attempt.total", **_count(usage))
            return line if cost is None else f"{line}, {format_cost(cost)}"
        case ev.Notice(agent=agent, text=text) if agent:
            return t("run.notice", text=f"{agent}: {translate_notice(text)}")
        case _:
            return ""


def _count(usage: Mapping[str, Any]) -> dict[str, object]:
    tokens = usage.get("input", 0) + usage.get("output", 0)
    return {"requests": usage.get("requests", 0), "tokens": f"{tokens:,}"}
