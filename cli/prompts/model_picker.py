"""Picker of a model, with window and price."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..i18n.catalogs import t
from ..rendering.listings.models import format_price, format_tokens, to_price_object
from ..rendering.table import GAP, NARROW
from .picker import pick_item, rank_by_text

if TYPE_CHECKING:
    from ...models.listing import ModelListing


def pick_model(listings: "Sequence[ModelListing]") -> str:
    """Return `PROVIDER/MODEL` that the user selects; empty if they leave. Needs a terminal."""
    picked = pick_item(
        listings, rank_models, build_cells, heading=t("picker.models"), build_heads=build_heads
    )
    return picked.model.name if picked else ""


def rank_models(listings: "Sequence[ModelListing]", typed: str) -> "list[ModelListing]":
    """Return the models that match the typed text, best first."""
    return rank_by_text(
        listings, typed, lambda listing: listing.model.name, lambda listing: listing.model.name
    )


def build_cells(listings: "Sequence[ModelListing]", columns: int) -> list[list[str]]:
    """Return one row of cells for each model; narrow: mark, name and price."""
    rows = [_build_row(listing) for listing in listings]
    if columns >= NARROW:
        return rows
    widest = max(len(f"{mark}{name}{price}") for mark, name, _, price, _ in rows) + 2 * len(GAP)
    has_room = widest <= columns
    return [[mark, name, *([price] if has_room else [])] for mark, name, _, price, _ in rows]


def build_heads(count: int) -> list[str]:
    """Return the heads of so many columns of `build_cells`."""
    heads = ["", t("models.name"), t("models.context"), t("models.price.unit"), ""]
    return heads if count == len(heads) else [*heads[:2], *heads[3:4]][:count]


def _build_row(listing: "ModelListing") -> list[str]:
    """Return mark, name, window, price, and in words what speaks for the model."""
    model = listing.model
    is_default = model.model == model.provider.default_model
    abilities = {"default": is_default, "vision": model.vision, "thinking": model.thinking}
    return [
        "*" if listing.in_use else "",
        model.name,
        format_tokens(model.context_length),
        format_price(to_price_object(model.price)),
        " · ".join(t(f"models.{name}") for name, has in abilities.items() if has),
    ]
