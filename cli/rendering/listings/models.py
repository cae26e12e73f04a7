"""Models for display: a row of a table, and everything about one."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...i18n.catalogs import t

if TYPE_CHECKING:
    from ....models.catalog import Price
    from ....models.listing import ModelListing

# US dollars per million tokens: `input`, `output`, `cached`
PriceObject = Mapping[str, float | None]
# Columns of a table of models; the first marks the one in use
COLUMNS = ("mark", "name", "window", "price", "vision", "thinking", "key")
# How many of them a narrow terminal has room for
NARROW_COLUMNS = 4


def build_headers() -> list[str]:
    """Return the headers of the table."""
    return ["", *(t(f"models.{name}") for name in COLUMNS[1:])]


def build_row(listing: "ModelListing") -> list[str]:
    """Return the cells of one model."""
    return [
        "*" if listing.in_use else "",
        listing.model.name,
        format_tokens(listing.model.context_length),
        format_price(to_price_object(listing.model.price)),
        format_flag(listing.model.vision),
        format_flag(listing.model.thinking),
        format_flag(listing.has_key),
    ]


def build_object(listing: "ModelListing") -> dict[str, object]:
    """Return one model for JSON."""
    model = listing.model
    return {
        "name": model.name,
        "provider": model.provider.name,
        "model": model.model,
        "context_length": model.context_length,
        "max_tokens": model.max_tokens,
        "price": to_price_object(model.price),
        "vision": model.vision,
        "thinking": listing.model.thinking,
        "key": listing.has_key,
        "in_use": listing.in_use,
    }


def format_tokens(count: int) -> str:
    """Return a number of tokens, such as `128k` or `1M`."""
    if count >= 1_000_000:
        return f"{count / 1_000_000:.1f}".removesuffix(".0") + "M"
    return f"{round(count / 1000)}k" if count >= 1000 else str(count)


def to_price_object(price: "Price | None") -> PriceObject | None:
    """Return a price for JSON."""
    return price and {"input": price.input, "output": price.output, "cached": price.cached}


def format_price(price: PriceObject | None) -> str:
    """Return dollars per million tokens, in and out, such as `$0.6 / $2.2`."""
    if price is None:
        return t("models.unknown")
    return f"${price['input']:g} / ${price['output']:g}"


def format_flag(flag: bool | None) -> str:
    """Return a word for yes, no and unknown."""
    return t("models.unknown") if flag is None else t("models.yes" if flag else "models.no")
