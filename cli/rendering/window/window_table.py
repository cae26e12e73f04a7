"""The table of what fills a model's window, with bars."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...i18n.catalogs import t
from ..line_breaks import split_rows
from ..text_width import measure_width

if TYPE_CHECKING:
    from ....sdk.threads.context_usage import ContextUsage

# Columns of the longest bar, and of the shortest one that is shown
MAX_BAR_COLUMNS, MIN_BAR_COLUMNS = 30, 6
WIDEST_TABLE = 80
FULL, EMPTY = "█", "░"


def format_context(usage: "ContextUsage", columns: int) -> str:
    """Return the lines for this many columns."""
    columns = min(columns, WIDEST_TABLE)
    heads = [line for head in _build_heads(usage) for line in split_rows(head, columns)]
    share = usage.used / usage.window if usage.window else 0.0
    bar = _draw_bar(share, min(columns, MAX_BAR_COLUMNS * 2))
    return "\n".join([*heads[:1], bar, *_format_table(usage, columns), *heads[1:]])


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


def _format_table(usage: "ContextUsage", columns: int) -> Iterator[str]:
    rows = [(t(f"slash.context.{kind}"), tokens) for kind, tokens in usage.parts.items() if tokens]
    largest = [(f"  {name}", tokens) for name, tokens in usage.results.items()]
    rows += [*largest, (t("slash.context.free"), usage.free)]
    width = max(measure_width(label) for label, _ in rows)
    digits = max(len(f"{tokens:,}") for _, tokens in rows)
    shares = [_format_share(tokens, usage.window) for _, tokens in rows]
    share_width = max(4, *map(len, shares))
    longest = min(columns - width - digits - share_width - 5, MAX_BAR_COLUMNS)
    for (label, tokens), share in zip(rows, shares, strict=True):
        gap = " " * (width - measure_width(label))
        line = f"{label}{gap}  {tokens:>{digits},}  {share:>{share_width}}"
        if longest >= MIN_BAR_COLUMNS and usage.window:
            # a part may be larger than the window, such as that of a model with a smaller one
            line += f" {FULL * min(round(longest * tokens / usage.window), longest)}"
        yield line.rstrip()


def _format_share(tokens: int, window: int) -> str:
    if not window:
        return "?"
    share = tokens / window
    return "<1%" if 0 < share < 0.01 else f"{share:.0%}"


def _draw_bar(share: float, columns: int) -> str:
    full = min(round(share * columns), columns)
    return FULL * full + EMPTY * (columns - full)
