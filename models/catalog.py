"""Catalogue of models: context lengths, output limits and list prices (`catalog.json`)."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

if TYPE_CHECKING:
    from langchain_core.messages.ai import UsageMetadata


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float
    cached: float | None = None
    """Input tokens from the provider's cache; None: priced as `input`."""
    tokens: int = 0
    """The price applies to requests with more input tokens than this."""


@dataclass(frozen=True)
class CatalogEntry:
    """One known model."""

    context: int
    """Input tokens that fit."""
    output: int
    """Most tokens of an answer."""
    price: Price | None = None
    price_above: Price | None = None
    """The price of long requests, if it differs."""
    temperature: bool = True
    """Whether the model accepts a temperature."""
    api: Literal["", "chat", "responses", "anthropic"] = ""
    """The protocol; empty: the provider's."""


@cache
def load_catalog() -> Mapping[str, CatalogEntry]:
    """Return every known model by `provider/model`."""
    text = Path(__file__).with_name("catalog.json").read_text(encoding="utf-8")
    rows = cast("dict[str, dict[str, Any]]", json.loads(text)["models"])
    return {name: _to_entry(row) for name, row in rows.items()}


def find_model(name: str) -> CatalogEntry | None:
    """Return the entry of `provider/model`, else of the same model at its own maker.

    A gateway's `openrouter/z-ai/glm-5` has the limits of `glm/glm-5`, and no price of its own.
    """
    return _find_own(name) or _index_by_model().get(name.rpartition("/")[2].lower())


def compute_cost(name: str, usage: "UsageMetadata") -> float | None:
    """Return US dollars at list price for one answer of `provider/model`; None if unknown."""
    entry = _find_own(name)
    if entry is None or entry.price is None:
        return None
    above = entry.price_above
    price = above if above and usage["input_tokens"] > above.tokens else entry.price
    cached = usage.get("input_token_details", {}).get("cache_read", 0)
    dollars = (
        (usage["input_tokens"] - cached) * price.input
        + cached * (price.input if price.cached is None else price.cached)
        + usage["output_tokens"] * price.output
    )
    return dollars / 1_000_000


def has_price(name: str) -> bool:
    """Return whether the list price of `provider/model` is known."""
    entry = _find_own(name)
    return entry is not None and entry.price is not None


def _find_own(name: str) -> CatalogEntry | None:
    entries = load_catalog()
    return entries.get(name) or entries.get(f"{name.partition('/')[0]}/*")


@cache
def _index_by_model() -> Mapping[str, CatalogEntry]:
    return {
        name.rpartition("/")[2].lower(): CatalogEntry(
            context=entry.context,
            output=entry.output,
            temperature=entry.temperature,
        )
        for name, entry in load_catalog().items()
    }


def _to_entry(row: Mapping[str, Any]) -> CatalogEntry:
    prices: dict[str, Any] = {
        key: Price(**row[key]) for key in ("price", "price_above") if key in row
    }
    return CatalogEntry(**{**row, **prices})
