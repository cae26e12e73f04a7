"""Picker of a thread."""

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, partial
from itertools import compress

from ...config import paths
from ...config.errors import MaxAgentError
from ...memory.threads.record import ThreadRow
from ..i18n.catalogs import t
from ..rendering.humanize import format_age
from ..rendering.listings.threads import SHORT_ID, format_status, format_title, open_index
from ..rendering.sanitize import sanitize_line
from ..rendering.table import GAP, NARROW
from ..rendering.text_width import measure_width
from .picker import cut_column, pick_item, rank_by_text


def pick_thread(rows: Sequence[ThreadRow]) -> ThreadRow | None:
    """Return the thread that the user selects; None if they leave. Needs a terminal."""
    read_cost, describe = cache(_read_cost), cache(describe_thread)
    by_id = {row.thread_id: row for row in rows}
    return pick_item(
        rows,
        rank_threads,
        partial(build_cells, read_cost=read_cost),
        lambda row: describe(row.thread_id, by_id[row.thread_id].request),
        heading=t("picker.threads"),
    )


def _read_cost(thread_id: str) -> str:
    """Return the dollars that a thread has cost; empty if they are not known."""
    from ...sdk.threads.usage import read_usage

    try:
        usage = read_usage(thread_id, paths.locate_home(), 0)
    except MaxAgentError:
        return ""
    return f"${usage.cost:.2f}" if usage and usage.cost else ""


def describe_thread(thread_id: str, request: str) -> tuple[str, str]:
    """Return the last message of the user and the beginning of its answer, a line each."""
    from ...sdk.threads.transcript import read_transcript

    try:
        entries = read_transcript(open_index().get(thread_id), paths.locate_home())
    except MaxAgentError:
        entries = []
    messages = [at for at, entry in enumerate(entries) if entry.kind == "human"]
    last = messages[-1] if messages else 0
    words = entries[last].text if messages else request
    answers = [entry.text for entry in entries[last:] if entry.kind in ("answer", "interrupted")]
    return f"▌ {sanitize_line(words)}", f"● {sanitize_line(answers[-1])}" if answers else ""


def rank_threads(rows: Sequence[ThreadRow], typed: str) -> list[ThreadRow]:
    """Return the threads that match the typed text, best first."""
    return rank_by_text(
        rows,
        typed,
        lambda row: f"{row.thread_id[:SHORT_ID]} {row.name} {row.title} {row.request}",
        lambda row: f"{row.name} {row.title}",
    )


def build_cells(
    rows: Sequence[ThreadRow], columns: int, read_cost: Callable[[str], str] = lambda _: ""
) -> list[list[str]]:
    """Return one row of cells for each thread: its title, then facts; narrow: only what is
    open, or its age.

    The id stands only where titles are alike.
    """
    facts = [[_describe_status(row) or format_age(row.updated_at)] for row in rows]
    if columns >= NARROW:
        titles = Counter(map(format_title, rows))
        facts = [
            [
                _describe_status(row),
                read_cost(row.thread_id),
                format_age(row.updated_at),
                row.thread_id[:SHORT_ID] if titles[format_title(row)] > 1 else "",
            ]
            for row in rows
        ]
        used = [any(column) for column in zip(*facts, strict=True)]
        facts = [list(compress(fact, used)) for fact in facts]
    widths = [max(map(measure_width, column)) + len(GAP) for column in zip(*facts, strict=True)]
    titles = cut_column([format_title(row) for row in rows], columns - sum(widths))
    return [[title, *fact] for title, fact in zip(titles, facts, strict=True)]


def _describe_status(row: ThreadRow) -> str:
    """Describe what is open in a thread; nothing if it is the user's turn anyway."""
    if row.status == "idle":
        return ""
    return t("picker.waiting") if row.status == "waiting" else format_status(row, set())
