"""Compactions as lines: why, how much shorter, and who wrote what stands for the rest."""

from collections.abc import Iterator

from ....sdk import events as ev
from ...i18n.catalogs import t
from ..sanitize import sanitize_line

# First lines of a summary; `mcode threads show --full` has all of it
SUMMARY_LINES = 6


def format_start(event: ev.CompactionStarted) -> str:
    """Return why the conversation is compacted."""
    numbers = {"tokens": f"{event.tokens:,}", "limit": f"{event.limit:,}"}
    return t(f"compaction.started.{event.reason}", **numbers)


def format_end(event: ev.CompactionFinished) -> Iterator[str]:
    """Yield how much shorter it is, and the beginning of its summary."""
    before, after = f"{event.before:,}", f"{event.after:,}"
    if event.after >= event.before:
        yield t("compaction.nothing", before=before)
        return
    yield t("compaction.finished", before=before, after=after, by=describe_author(event.by))
    if event.pruned:
        yield t("compaction.pruned", count=event.pruned)
    lines = [line for line in event.summary.splitlines() if line.strip()]
    yield from (f"  {sanitize_line(line)}" for line in lines[:SUMMARY_LINES])
    if len(lines) > SUMMARY_LINES:
        yield "  …"


def describe_author(by: str) -> str:
    """Return who wrote the summary."""
    return t(f"compaction.by.{by}") if by in ("bridge", "prune") else sanitize_line(by)


def format_reset(event: ev.CacheReset) -> str:
    """Return why the next request costs more; empty if that is shown itself: a cut, a mode."""
    return "" if event.reason in ("compaction", "tools") else t(f"cache_reset.{event.reason}")
