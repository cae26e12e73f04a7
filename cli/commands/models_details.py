"""What a request would use, and where each part of it comes from."""

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from ...config import paths
from ...config.errors import UsageError
from ...config.settings.loader import LoadedSettings
from ...models.address import is_address_of
from ...models.auth.key_shapes import clean_key
from ...models.catalog import list_providers_of
from ...models.http.learnt_limits import LearntLimits
from ...models.listing import hide_foreign_price
from ...models.providers import find_provider
from ...models.resolver import ResolvedModel, describe_model, list_corrections, resolve
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..rendering.listings.models import (
    PriceObject,
    format_flag,
    format_price,
    format_tokens,
    to_price_object,
)


def describe_request(
    loaded: LoadedSettings, environ: Mapping[str, str], name: str
) -> dict[str, object]:
    """Return what is known of the request, by field; a named model may lack its key.

    Raises UsageError for a model that no provider is known for.
    """
    resolved = _resolve_named(loaded, environ, name)
    learnt = LearntLimits(paths.locate_learnt_limits(paths.locate_home()))
    return {
        "model": resolved.name,
        "chosen_by": _explain_choice(loaded, name),
        "address": describe_address(loaded, environ, resolved),
        "key": describe_key(loaded, environ, resolved),
        "api": resolved.api,
        "context_length": resolved.context_length,
        "learnt_window": learnt.find_limit(resolved),
        "max_tokens": resolved.max_tokens,
        "price": to_price_object(
            hide_foreign_price(loaded.settings, resolved, resolved.base_url).price
        ),
        "thinking": resolved.thinking,
        "vision": resolved.vision,
        "tool_calls": resolved.tool_calls,
        "corrected": list_corrections(loaded.settings, resolved),
    }


def _resolve_named(loaded: LoadedSettings, environ: Mapping[str, str], name: str) -> ResolvedModel:
    """Resolve a model; one of a provider without a key is described as the catalogue has it."""
    try:
        return resolve(loaded.settings, environ, name)
    except UsageError:
        first, _, second = name.partition("/")
        row = find_provider(first) if first == first.lower() else None
        providers = [] if row else list_providers_of(name)
        row = row or (find_provider(providers[0]) if providers else None)
        if not row or not row.base_url:
            raise
        model = (second or row.default_model) if row.name == first else name
        described = describe_model(loaded.settings, row, model)
        return replace(described, base_url=row.base_url.rstrip("/"))


def format_details(details: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the fields with their names for display; empty ones are left out."""
    cells = {name: _format_value(name, value) for name, value in details.items()}
    return [(t(f"models.show.{name}"), cell) for name, cell in cells.items() if cell]


def _format_value(name: str, value: object) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(map(str, cast("list[object]", value)))
    if name == "price":
        return format_price(cast("PriceObject | None", value))
    if name == "learnt_window":
        return t("models.show.forget", window=format_tokens(cast(int, value))) if value else ""
    if value is None or isinstance(value, bool):
        return format_flag(value)
    return format_tokens(cast(int, value))


def describe_address(
    loaded: LoadedSettings, environ: Mapping[str, str], resolved: ResolvedModel
) -> str:
    """Return the endpoint without user and key, and who named it unless it is the provider's."""
    address = _hide_user(resolved)
    if resolved.base_url == resolved.provider.base_url.rstrip("/"):
        return address
    if is_address_of(loaded.settings.litellm.base_url, resolved.base_url):
        source = translate(loaded.origins["litellm.base_url"])
    else:
        names = resolved.provider.list_endpoint_variables()
        source = next((name for name in names if environ.get(name, "").strip()), "")
    return f"{address} ({source})" if source else address


def describe_key(
    loaded: LoadedSettings, environ: Mapping[str, str], resolved: ResolvedModel
) -> str:
    """Return where the key comes from, never the key."""
    if not (resolved.api_key or resolved.login):
        provider = resolved.provider
        is_own = resolved.base_url == provider.base_url.rstrip("/")
        needs_one = is_own and not provider.local and bool(provider.key_variables or provider.login)
        return t("models.show.no_key", name=provider.name) if needs_one else t("doctor.no_key")
    if not resolved.login and clean_key(loaded.settings.litellm.api_key) == resolved.api_key:
        source = loaded.origins["litellm.api_key"]
    else:
        names = resolved.provider.key_variables
        stored = t("auth.kind.login" if resolved.login else "auth.kind.key")
        source = next((name for name in names if environ.get(name, "").strip()), stored)
    return t("doctor.key", source=translate(source))


def _explain_choice(loaded: LoadedSettings, name: str) -> str:
    """Return who named the model."""
    if name:
        return ""
    for key in ("model.default", "litellm.provider"):
        if loaded.origins.get(key, "default") != "default":
            return translate(loaded.origins[key])
    return t("models.show.detected")


def _hide_user(resolved: ResolvedModel) -> str:
    scheme, _, rest = resolved.base_url.partition("://")
    place, slash, path = rest.partition("/")
    return f"{scheme}://{place.rpartition('@')[2]}{slash}{path}"
