"""A warning, once, that the model's window is nearly full."""

from typing import TYPE_CHECKING

from ...i18n.catalogs import t

if TYPE_CHECKING:
    from ....sdk.events import TokenUsage

# Share of the limit, or of the window without one, from which on it is nearly full
NEARLY_FULL = 0.9


def build_warning(usage: "TokenUsage", limit: int) -> str:
    """Return the warning after a request; empty: there is room.

    `limit` are the tokens from which on the conversation is compacted; 0: it never is.
    """
    length = usage.context_length
    if not length or usage.window < (limit or length) * NEARLY_FULL:
        return ""
    used = f"{usage.window:,}"
    if limit:
        return t("repl.context.nearly_full", used=used, limit=f"{limit:,}")
    return t("repl.context.full", used=used, length=f"{length:,}")
