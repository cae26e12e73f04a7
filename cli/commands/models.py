"""`mcode models`: the catalogue, and the model that a request would use."""

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...config import paths
from ...config.errors import UsageError
from ..i18n.catalogs import t
from ..rendering.output import echo, echo_json
from ..rendering.table import is_narrow, show_table

if TYPE_CHECKING:
    from ...config.settings.loader import LoadedSettings
    from ...models.listing import ModelListing

app = typer.Typer(
    help="List models, and show the one in use.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")]


@app.command("list")
def list_models(
    provider: Annotated[str, typer.Option(help="Only the models of this provider.")] = "",
    remote: Annotated[
        bool, typer.Option("--remote", help="Ask the provider's server which models it has.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """List models with context window, price per million tokens, and whether you have a key.

    Works offline, except with --remote. `*` marks the model in use.
    """
    from ..rendering.listings.models import NARROW_COLUMNS, build_headers, build_object, build_row

    listings = _list_remote(provider) if remote else _list_known(provider)
    if as_json:
        echo_json([build_object(listing) for listing in listings])
        return
    visible_columns = slice(NARROW_COLUMNS if is_narrow() else None)
    rows = [build_row(listing)[visible_columns] for listing in listings]
    headers = build_headers()[visible_columns]
    show_table(headers, rows, cut=headers[1:2])
    if not remote and not provider:
        echo(t("models.list.remote"), err=True)


@app.command()
def show(
    name: Annotated[str, typer.Argument(help="PROVIDER/MODEL, PROVIDER or MODEL.")] = "",
    as_json: AsJson = False,
) -> None:
    """Show what a request would use: model, address, source of the key, limits, price.

    Without a name: the model in use in the current folder.
    """
    from ..rendering.definition_list import format_definition_list
    from .models_details import describe_request, format_details

    details = describe_request(_load_settings(), os.environ, name)
    if as_json:
        echo_json(details)
    else:
        echo(format_definition_list(format_details(details)))


@app.command()
def forget(
    name: Annotated[str, typer.Argument(help="PROVIDER/MODEL, PROVIDER or MODEL.")] = "",
) -> None:
    """Forget the context window that was learnt when a model's server rejected a long request."""
    import asyncio

    from ...models.http.learnt_limits import LearntLimits
    from ...models.resolver import resolve

    resolved = resolve(_load_settings().settings, os.environ, name)
    limits = LearntLimits(paths.locate_learnt_limits(paths.locate_home()))
    window = asyncio.run(limits.forget(resolved))
    key = "models.forgotten" if window else "models.nothing_learnt"
    echo(t(key, model=resolved.name, window=f"{window:,}"), err=True)


@app.command()
def refresh() -> None:
    """Fetch the catalogue of models from the address in `model.catalog_url`.

    Its models come before the built-in ones of the same name. Nothing is fetched automatically.
    """
    from ...models.catalog_update import refresh_catalog

    url = _load_settings().settings.model.catalog_url
    if not url:
        raise UsageError(
            "`model.catalog_url` is not set",
            hint="run `mcode config set model.catalog_url ADDRESS`",
        )
    count = refresh_catalog(url, paths.locate_home())
    echo(t("models.refreshed", count=count), err=True)


def _list_known(provider: str) -> "list[ModelListing]":
    from ...models.listing import list_models as list_known_models
    from ...models.providers import get_provider

    provider_name = get_provider(provider).name if provider else ""
    return list_known_models(_load_settings().settings, os.environ, provider_name)


def _list_remote(provider: str) -> "list[ModelListing]":
    import asyncio

    from ...models.listing import find_model_in_use, list_models_with_names
    from ...models.resolver import resolve
    from ...models.served_models import list_served_models

    settings = _load_settings().settings
    resolved = resolve(settings, os.environ, provider)
    names = asyncio.run(list_served_models(resolved))
    in_use = find_model_in_use(settings, os.environ)
    return list_models_with_names(settings, os.environ, resolved.provider, names, in_use)


def _load_settings() -> "LoadedSettings":
    from ...config.settings.loader import load_settings

    return load_settings(Path.cwd(), paths.locate_home())
