"""`/context`, `/compact`, `/uncompact`: what the model is sent of the conversation."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from rich.text import Text

from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...rendering.block_printer import EDGE
from ...rendering.console import open_console, style_text
from ...rendering.definition_list import get_terminal_width
from ...rendering.humanize import format_share
from ...rendering.line_breaks import split_rows
from ...rendering.text_width import measure_width
from ..session.session import Session
from .files import require_thread_id

if TYPE_CHECKING:
    from ....sdk.threads.context_usage import ContextUsage


# Columns of the bar and of the table
WIDEST_TABLE = 80
EMPTY = "·"
FREE_STYLE = "dim"
# The cell and the colour of each kind, the same in bar and table
CELLS: Mapping[str, tuple[str, str]] = {
    "system": ("█", "blue"),
    "instructions": ("▒", "blue"),
    "tools": ("█", "cyan"),
    "memory": ("▒", "cyan"),
    "summary": ("▒", "magenta"),
    "user": ("█", "green"),
    "notes": ("▒", "green"),
    "answers": ("█", "yellow"),
    "thinking": ("▒", "yellow"),
    "results": ("█", "magenta"),
}


async def show_context(session: Session, _: str) -> None:
    """Show what fills the model's window: a bar and a table by kind."""
    if not session.thread:
        session.show(t("slash.not_asked"))
        return
    runner = await session.wait_for_runner()
    from ....sdk.threads.context_usage import measure_context

    usage = await measure_context(runner, session.thread)
    if session.usage:  # the status line shows the same share
        session.usage = replace(session.usage, window=usage.used)
    console = open_console(stderr=False)
    has_colors = bool(console.color_system) and not console.no_color
    table = format_context(usage, get_terminal_width() - len(EDGE), has_colors=has_colors)
    rows = (Text.assemble(EDGE, row) for row in table.split("\n", allow_blank=True))
    session.show(Text("\n").join(rows))


async def compact(session: Session, focus: str) -> None:
    """Compact the conversation now; `focus` is what the summary should keep above all."""
    thread = require_thread_id(session)
    runner = await session.wait_for_runner()
    from ..session.background_startup import refresh_status
    from ..session.turn_renderer import TurnView

    await TurnView(session).show_events(runner.compact(thread, focus))
    await refresh_status(session, runner)


async def uncompact(session: Session, _: str) -> None:
    """Let the model read the whole conversation again."""
    thread = require_thread_id(session)
    runner = await session.wait_for_runner()
    if not await runner.uncompact(thread):
        raise UsageError(t("slash.uncompact.nothing"), hint=t("slash.uncompact.hint"))
    session.show(t("slash.uncompact.done"))


def format_context(usage: "ContextUsage", columns: int, *, has_colors: bool = True) -> Text:
    """Return the lines for this many columns; without colours each kind has its own digit."""
    columns = min(columns, WIDEST_TABLE)
    heads = [line for head in _build_heads(usage) for line in split_rows(head, columns)]
    kinds = [kind for kind in CELLS if usage.parts.get(kind)]
    cells = {
        kind: CELLS[kind] if has_colors else (str(number % 10), "")
        for number, kind in enumerate(kinds, 1)
    }
    rows = [style_text(heads[0], "bold"), _draw_bar(usage, cells, columns)]
    notes = [style_text(head, "dim") for head in heads[1:]]
    return Text("\n").join([*rows, Text(), *_format_table(usage, cells), Text(), *notes])


def _build_heads(usage: "ContextUsage") -> Iterator[str]:
    key = "slash.context.is" if usage.is_reported else "slash.context.about"
    yield t(
        key,
        used=f"{usage.used:,}",
        length=f"{usage.window:,}" if usage.window else "?",
        share=format_share(usage.used, usage.window),
    )
    if usage.limit:
        yield t("slash.context.limit", limit=f"{usage.limit:,}")
    else:
        yield t("slash.context.no_limit")
    if usage.is_learnt:
        yield t("slash.context.learnt", model=usage.model)
    if usage.cached is not None:
        yield t("slash.context.cached", share=f"{usage.cached:.0%}")
    if usage.is_cut:
        yield t("slash.context.cut")


def _format_table(usage: "ContextUsage", cells: Mapping[str, tuple[str, str]]) -> Iterator[Text]:
    rows = [
        (f"{mark} ", style, t(f"slash.context.{kind}"), usage.parts[kind])
        for kind, (mark, style) in cells.items()
    ]
    rows += [("    ", "", name, tokens) for name, tokens in usage.results.items()]
    rows.append((f"{EMPTY} ", FREE_STYLE, t("slash.context.free"), usage.free))
    width = max(measure_width(mark + label) for mark, _, label, _ in rows)
    digits = max(len(f"{tokens:,}") for *_, tokens in rows)
    for mark, style, label, tokens in rows:
        gap = " " * (width - measure_width(mark + label))
        share = format_share(tokens, usage.window)
        row = Text.assemble((mark, style), f"{label}{gap}  {tokens:>{digits},}  {share:>4}")
        yield row if mark.strip() else Text(row.plain, style="dim")


def _draw_bar(usage: "ContextUsage", cells: Mapping[str, tuple[str, str]], columns: int) -> Text:
    """Return what is used, each kind in its share of the columns, and what is free."""
    window = max(usage.window, usage.used)
    bar, tokens = Text(), 0
    for kind, (mark, style) in cells.items():
        tokens += usage.parts[kind] if usage.window else 0
        bar.append(mark * (round(tokens / max(window, 1) * columns) - len(bar)), style)
    return bar.append(EMPTY * (columns - len(bar)), FREE_STYLE)
