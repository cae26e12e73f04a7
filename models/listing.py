"""The models that a user can choose from, with what is known of each."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from ..config.errors import MaxAgentError
from ..config.settings.schema import Settings
from .address import is_address_of
from .catalog import list_models_of
from .providers import Provider, find_provider, load_providers
from .resolver import ResolvedModel, describe_model, list_corrections, resolve
from .served_models import can_chat, list_served_models


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
    located = _locate(settings, environ, provider)
    models = [describe_model(settings, provider, name) for name in names]
    if located:
        models = [hide_foreign_price(settings, model, located.base_url) for model in models]
    return [ModelListing(model, located is not None, model.name == in_use) for model in models]


async def list_usable_models(
    settings: Settings, environ: Mapping[str, str], present: str
) -> list[ModelListing]:
    """Return the models that can be asked, the `present` one first.

    Where `litellm.base_url` names a server, these are the models that it lists itself, and those
    of providers that have another address and a key of their own.
    """
    listings = [row for row in list_models(settings, environ, in_use=present) if row.has_key]
    if settings.litellm.base_url:
        providers = {row.model.provider.name: row.model.provider for row in listings}
        elsewhere = {
            name
            for name, provider in providers.items()
            if not _is_on_own_server(settings, _locate(settings, environ, provider))
        }
        served = await _list_own_server(settings, environ, present)
        listings = [*served, *(row for row in listings if row.model.provider.name in elsewhere)]
    return sorted(listings, key=lambda listing: not listing.in_use)


async def _list_own_server(
    settings: Settings, environ: Mapping[str, str], present: str
) -> list[ModelListing]:
    """Return what the server says it has; the present model, too, if it is asked there."""
    try:
        server = resolve(settings, environ)
        names = [name for name in await list_served_models(server) if can_chat(name)]
    except MaxAgentError:
        return []
    provider, _, model = present.partition("/")
    if model and provider == server.provider.name:
        names = [model, *names]
    return list_models_with_names(
        settings, environ, server.provider, list(dict.fromkeys(names)), present
    )


def _is_on_own_server(settings: Settings, located: ResolvedModel | None) -> bool:
    return located is not None and is_address_of(settings.litellm.base_url, located.base_url)


def hide_foreign_price(settings: Settings, model: ResolvedModel, base_url: str) -> ResolvedModel:
    """Return the model without its list price at an address that is not its maker's.

    What another server takes for it is known only if the user has set it.
    """
    maker = model.provider.maker_name
    hosts = {
        urlsplit(row.base_url).hostname
        for row in load_providers().values()
        if row.maker_name == maker
    }
    if urlsplit(base_url).hostname in hosts or "price" in list_corrections(settings, model):
        return model
    return replace(model, price=None)


def has_access(settings: Settings, environ: Mapping[str, str], provider: Provider) -> bool:
    """Return whether requests can be sent to the provider: it has a key, or needs none."""
    return _locate(settings, environ, provider) is not None


def _locate(
    settings: Settings, environ: Mapping[str, str], provider: Provider
) -> ResolvedModel | None:
    """Return a model of the provider with its address; None if it cannot be asked."""
    try:
        return resolve(settings, environ, f"{provider.name}/{provider.default_model or 'any'}")
    except MaxAgentError:
        return None


def _list_names(row: Provider, settings: Settings, in_use: str) -> list[str]:
    """Return the names without the provider: in use, the user's, its default, the catalogue's."""
    named = (name.partition("/") for name in (in_use, *settings.model.models) if "/" in name)
    own = [model for first, _, model in named if model and find_provider(first) == row]
    default = [row.default_model] if row.default_model else []
    return list(dict.fromkeys([*own, *default, *list_models_of(row.name)]))
