"""Picker of a model, with window and price."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..i18n.catalogs import t
from ..rendering.listings.models import build_row
from ..rendering.table import NARROW
from .picker import pick_item, rank_by_text

if TYPE_CHECKING:
    from ...models.listing import ModelListing


def pick_model(listings: "Sequence[ModelListing]") -> str:
    """Return `PROVIDER/MODEL` that the user selects; empty if they leave. Needs a terminal."""
    picked = pick_item(listings, rank_models, build_cells, heading=t("picker.models"))
    return picked.model.name if picked else ""


def rank_models(listings: "Sequence[ModelListing]", typed: str) -> "list[ModelListing]":
    """Return the models that match the typed text, best first."""
    return rank_by_text(
        listings, typed, lambda listing: listing.model.name, lambda listing: listing.model.name
    )


def build_cells(listings: "Sequence[ModelListing]", columns: int) -> list[list[str]]:
    """Return one row of cells for each model, without its key; narrow: mark, name and price."""
    rows = [build_row(listing) for listing in listings]
    if columns < NARROW:
        return [[mark, name, price] for mark, name, _, price, *_ in rows]
    return [row[:-1] for row in rows]
