"""One line for a sub-agent that was sent: its ID, status, usage and task."""

from collections.abc import Mapping
from typing import Any

from ...i18n.catalogs import t
from ..humanize import format_cost, format_duration
from ..sanitize import sanitize_line

# How it is doing, as a mark and a style
MARKS = {
    "running": ("…", "cyan"),
    "waiting": ("?", "yellow"),
    "done": ("✓", ""),
    "partial": ("✓", "yellow"),
    "failed": ("✗", "red"),
    "killed": ("✗", "red"),
    "interrupted": ("…", "yellow"),
}


def format_child(sub_id: str, title: str, facts: Mapping[str, Any]) -> tuple[str, str]:
    """Return the line of a child and its style; `facts` are those of its transcript entry."""
    status = str(facts.get("status"))
    mark, style = MARKS.get(status, ("…", ""))
    parts = [t(f"child.status.{status}") if status in MARKS else status, *format_usage(facts)]
    return f"{mark} {sanitize_line(sub_id)}: {', '.join(parts)}  {sanitize_line(title)}", style


def format_usage(facts: Mapping[str, Any]) -> list[str]:
    """Return requests, tokens, cost and time, as far as they are known."""
    cost, seconds = facts.get("cost"), facts.get("seconds")
    return [
        *([t("child.requests", count=facts["requests"])] if facts.get("requests") else []),
        *([t("child.tokens", count=f"{facts['tokens']:,}")] if facts.get("tokens") else []),
        *([format_cost(cost)] if cost else []),
        *([format_duration(seconds)] if seconds is not None else []),
    ]
