"""The models that a user can choose from, with what is known of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..config.errors import MaxAgentError
from ..config.settings.schema import Settings
from .catalog import list_models_of
from .providers import Provider, find_provider, load_providers
from .resolver import ResolvedModel, describe_model, resolve


@dataclass(frozen=True)
class ModelListing:
    """One model of the list."""

    model: ResolvedModel
    """Its limits and price; endpoint and key are empty."""
    has_key: bool
    """Whether a request could be sent."""
    in_use: bool
    """Whether a request without `--model` would be."""


def find_model_in_use(settings: Settings, environ: Mapping[str, str]) -> str:
    """Return `PROVIDER/MODEL` of a request that names none; empty if nothing is configured."""
    try:
        return resolve(settings, environ).name
    except MaxAgentError:
        return ""


def list_models(
    settings: Settings, environ: Mapping[str, str], provider: str = "", in_use: str = ""
) -> list[ModelListing]:
    """Return the known models of that provider, or of all: first those that have a key.

    `in_use` is the model that is marked; empty: that of the settings.
    """
    in_use = in_use or find_model_in_use(settings, environ)
    rows = [
        row
        for row in load_providers().values()
        if row.available
        and row.name not in ("scripted", "replay", "program")
        and provider in ("", row.name)
    ]
    listings = [
        listing
        for row in rows
        for listing in list_models_with_names(
            settings, environ, row, _list_names(row, settings, in_use), in_use
        )
    ]
    return sorted(listings, key=lambda listing: not listing.has_key)


def list_models_with_names(
    settings: Settings,
    environ: Mapping[str, str],
    provider: Provider,
    names: Sequence[str],
    in_use: str,
) -> list[ModelListing]:
    """Return what is known of these models of a provider."""
    has_key = has_access(settings, environ, provider)
    models = [describe_model(settings, provider, name) for name in names]
    return [ModelListing(model, has_key, model.name == in_use) for model in models]


def has_access(settings: Settings, environ: Mapping[str, str], provider: Provider) -> bool:
    """Return whether requests can be sent to the provider: it has a key, or needs none."""
    try:
        resolve(settings, environ, f"{provider.name}/{provider.default_model or 'any'}")
    except MaxAgentError:
        return False
    return True


def _list_names(row: Provider, settings: Settings, in_use: str) -> list[str]:
    """Return the names without the provider: in use, the user's, its default, the catalogue's."""
    named = (name.partition("/") for name in (in_use, *settings.model.models) if "/" in name)
    own = [model for first, _, model in named if model and find_provider(first) == row]
    default = [row.default_model] if row.default_model else []
    return list(dict.fromkeys([*own, *default, *list_models_of(row.name)]))
