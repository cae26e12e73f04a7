"""What is shown of sub-agents and attempts: a line for the start and end of each, and notices."""

from collections.abc import Mapping
from typing import Any

from ....sdk import events as ev
from ...i18n.catalogs import t
from ...i18n.message_translation import translate_notice
from ..sanitize import sanitize_line

MAX_TASK_LENGTH = 100


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
            return line if cost is None else f"{line}, ${cost:.4f}"
        case ev.Notice(agent=agent, text=text) if agent:
            return t("run.notice", text=f"{agent}: {translate_notice(text)}")
        case _:
            return ""


def _count(usage: Mapping[str, Any]) -> dict[str, object]:
    tokens = usage.get("input", 0) + usage.get("output", 0)
    return {"requests": usage.get("requests", 0), "tokens": f"{tokens:,}"}
