"""Catalogue of models: context lengths, output limits and list prices (`catalog.json`)."""

import logging
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from ..config.network.response_limits import read_json
from ..config.paths import locate_home

if TYPE_CHECKING:
    from langchain_core.messages.ai import UsageMetadata

# What a document that is not a catalogue raises
NO_CATALOG = (ValueError, TypeError, AttributeError, KeyError)
_logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Price:
    """US dollars per million tokens."""

    input: float
    output: float
    cached: float | None = None
    """Input tokens from the provider's cache; None: priced as `input`."""
    cache_write: float | None = None
    """Input tokens that the provider writes to its cache; None: priced as `input`."""
    tokens: int = 0
    """The price applies to requests with more input tokens than this."""
    above: "Price | None" = None
    """The price of long requests, if it differs."""


@dataclass(frozen=True)
class CatalogEntry:
    """One known model."""

    context: int
    """Input tokens that fit."""
    output: int
    """Most tokens of an answer."""
    price: Price | None = None
    """None: unknown."""
    vision: bool = False
    """Whether the model sees images."""
    thinking: bool = False
    """Whether the model can think before it answers."""
    temperature: bool = True
    """Whether the model accepts a temperature."""
    tool_calls: Literal["native", "xml", "auto"] = "auto"
    """`xml`: the model cannot call tools natively."""
    api: Literal["", "chat", "responses", "anthropic"] = ""
    """The protocol; empty: the provider's."""


@cache
def load_catalog() -> Mapping[str, CatalogEntry]:
    """Return every known model by `provider/model`: the built-in ones, and the refreshed ones."""
    return {**load_built_in(), **_load_refreshed()}


@cache
def load_built_in() -> Mapping[str, CatalogEntry]:
    """Return the models that this version knows, whatever was refreshed since."""
    return parse_catalog(Path(__file__).with_name("catalog.json").read_bytes())


def locate_refreshed(home: Path) -> Path:
    """Return the file of `mcode models refresh`; it may not exist."""
    return home / "data" / "catalog.json"


def parse_catalog(document: bytes) -> dict[str, CatalogEntry]:
    """Return the models of a catalogue; raises one of `NO_CATALOG` if it is not one."""
    table = cast("dict[str, Any]", read_json(document))
    rows = cast("dict[str, dict[str, Any]]", table["models"])
    entries = {name: _to_entry(row) for name, row in rows.items()}
    sizes: list[object] = [
        size for each in entries.values() for size in (each.context, each.output)
    ]
    if not all(isinstance(size, int) for size in sizes):
        raise TypeError
    return entries


def _load_refreshed() -> dict[str, CatalogEntry]:
    file = locate_refreshed(locate_home())
    try:
        return parse_catalog(file.read_bytes())
    except FileNotFoundError:
        return {}
    except (OSError, *NO_CATALOG):
        _logger.warning("%s is not a catalogue of models", file)
        return {}


def find_model(name: str) -> CatalogEntry | None:
    """Return the entry of `provider/model`, else of the same model at its own maker.

    A gateway's `openrouter/z-ai/glm-5` has the limits of `glm/glm-5`, and no price of its own.
    """
    return _find_own(name) or _index_by_model().get(_normalize_name(name))


def list_providers_of(model: str) -> list[str]:
    """Return the providers that have this model under this name."""
    lowercase_name = model.lower()
    parts = (name.partition("/") for name in load_catalog())
    return [provider for provider, _, name in parts if name.lower() == lowercase_name]


def list_models_of(provider: str) -> list[str]:
    """Return the names of the provider's models, without the provider."""
    parts = (name.partition("/") for name in load_catalog())
    return [model for owner, _, model in parts if owner == provider and model != "*"]


def compute_cost(price: Price | None, usage: "UsageMetadata") -> float | None:
    """Return US dollars for one answer at that price; None if the price is unknown."""
    if price is None:
        return None
    if price.above and usage["input_tokens"] > price.above.tokens:
        price = price.above
    details = usage.get("input_token_details", {})
    cached, written = details.get("cache_read", 0), details.get("cache_creation", 0)
    dollars = (
        (usage["input_tokens"] - cached - written) * price.input
        + cached * (price.input if price.cached is None else price.cached)
        + written * (price.input if price.cache_write is None else price.cache_write)
        + usage["output_tokens"] * price.output
    )
    return dollars / 1_000_000


def _find_own(name: str) -> CatalogEntry | None:
    entries = load_catalog()
    return entries.get(name) or entries.get(f"{name.partition('/')[0]}/*")


@cache
def _index_by_model() -> Mapping[str, CatalogEntry]:
    return {
        _normalize_name(name): replace(entry, price=None, api="")
        for name, entry in load_catalog().items()
    }


def _normalize_name(name: str) -> str:
    """Return the model's name without its provider, in the spelling that gateways share."""
    return name.rpartition("/")[2].removesuffix(":free").lower().replace(".", "-")


def _to_entry(row: Mapping[str, Any]) -> CatalogEntry:
    fields = {key: value for key, value in row.items() if key != "price_above"}
    if "price" in row:
        above = Price(**row["price_above"]) if "price_above" in row else None
        fields["price"] = Price(**row["price"], above=above)
    return CatalogEntry(**fields)
