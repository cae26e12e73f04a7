"""The table of what fills a model's window, below a bar in the colours of its kinds."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich.text import Text

from ...i18n.catalogs import t
from ..console import style_text
from ..line_breaks import split_rows
from ..text_width import measure_width

if TYPE_CHECKING:
    from ....sdk.threads.context_usage import ContextUsage

# Columns of the bar, and of the table
MAX_BAR_COLUMNS = 60
WIDEST_TABLE = 80
FULL, EMPTY, MARK = "█", "░", "■ "
FREE_STYLE = "dim"
# Styles of the kinds, in their order
STYLES = (
    "blue",
    "cyan",
    "magenta",
    "green",
    "yellow",
    "bright_blue",
    "bright_cyan",
    "red",
    "white",
)


def format_context(usage: "ContextUsage", columns: int) -> Text:
    """Return the lines for this many columns."""
    columns = min(columns, WIDEST_TABLE)
    heads = [line for head in _build_heads(usage) for line in split_rows(head, columns)]
    kinds = [kind for kind, tokens in usage.parts.items() if tokens]
    styles = {kind: STYLES[at % len(STYLES)] for at, kind in enumerate(kinds)}
    rows = [style_text(heads[0], "bold"), _draw_bar(usage, styles, min(columns, MAX_BAR_COLUMNS))]
    notes = [style_text(head, "dim") for head in heads[1:]]
    return Text("\n").join([*rows, Text(), *_format_table(usage, styles), Text(), *notes])


def _build_heads(usage: "ContextUsage") -> Iterator[str]:
    key = "slash.context.is" if usage.is_reported else "slash.context.about"
    yield t(
        key,
        used=f"{usage.used:,}",
        length=f"{usage.window:,}" if usage.window else "?",
        share=_format_share(usage.used, usage.window),
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


def _format_table(usage: "ContextUsage", styles: dict[str, str]) -> Iterator[Text]:
    parts = [(kind, t(f"slash.context.{kind}")) for kind in styles]
    rows = [(MARK, styles[kind], label, usage.parts[kind]) for kind, label in parts]
    rows += [("    ", "", name, tokens) for name, tokens in usage.results.items()]
    rows.append((f"{EMPTY} ", FREE_STYLE, t("slash.context.free"), usage.free))
    width = max(measure_width(mark + label) for mark, _, label, _ in rows)
    digits = max(len(f"{tokens:,}") for *_, tokens in rows)
    for mark, style, label, tokens in rows:
        gap = " " * (width - measure_width(mark + label))
        share = _format_share(tokens, usage.window)
        row = Text.assemble((mark, style), f"{label}{gap}  {tokens:>{digits},}  {share:>4}")
        yield row if mark.strip() else Text(row.plain, style="dim")


def _format_share(tokens: int, window: int) -> str:
    if not window:
        return "?"
    share = tokens / window
    return "<1%" if 0 < share < 0.01 else f"{share:.0%}"


def _draw_bar(usage: "ContextUsage", styles: dict[str, str], columns: int) -> Text:
    """Return what is used, a colour for each kind, and what is free as shade."""
    bar, end, tokens = Text(), 0, 0
    for kind, style in styles.items():
        tokens += usage.parts[kind]
        share = tokens / usage.window if usage.window else 0.0
        size = min(round(share * columns), columns) - end
        bar.append(FULL * size, style)
        end += size
    return bar.append(EMPTY * (columns - end), FREE_STYLE)
