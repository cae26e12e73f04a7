"""`mcode auth`: log in to a provider, show where keys come from, log out."""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from ...config import paths
from ...config.errors import NotInteractiveError, UsageError
from ...config.exit_codes import FAILED
from ...config.text import text
from ..i18n.catalogs import t
from ..rendering.output import echo, echo_json
from ..rendering.table import show_table

app = typer.Typer(
    help="Store provider keys, and log in to GitHub Copilot.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Provider = Annotated[str, typer.Argument(help="Provider, such as openai or copilot.")]


@app.command()
def login(
    provider: Provider = "",
    token_stdin: Annotated[
        bool, typer.Option("--token-stdin", help="Read the key or token from stdin.")
    ] = False,
) -> None:
    """Store a provider's key, or log in to GitHub Copilot in the browser.

    Without a provider, choose one, or paste a key that shows its provider. The key is not shown.
    """
    from ..prompts.credential_input import ask_credential, store_choice
    from ..prompts.login import log_in, store_key
    from ..prompts.terminal_echo import hidden_echo

    if token_stdin:
        key = sys.stdin.read().strip()
        store_key(_find_name(provider) or _recognize_provider(key), key)
        return
    if provider and _needs_login(provider):
        log_in(_find_name(provider))
        return
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        raise NotInteractiveError(
            "a key must be pasted at a terminal, and there is none",
            hint="pipe the key in: `mcode auth login PROVIDER --token-stdin < FILE`",
        )
    with hidden_echo():
        chosen = ask_credential(_find_name(provider))
        if chosen.address:
            store_choice(paths.locate_home(), chosen)
            echo(t("auth.own.stored", address=chosen.address), err=True)
        elif chosen.key:
            store_key(chosen.provider, chosen.key)
        else:
            log_in(chosen.provider)


@app.command()
def status(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show where the key or login of each provider comes from. Exit code 1: there is none."""
    from ...config.settings.loader import load_settings
    from ...models.key_sources import list_key_sources
    from ..rendering.listings.threads import format_time

    settings = load_settings(Path.cwd(), paths.locate_home()).settings
    sources = list_key_sources(settings, os.environ)
    ends = {each.provider: _format_moment(each.expires_at) for each in sources}
    if as_json:
        echo_json(
            [
                {
                    "provider": each.provider,
                    "kind": each.kind,
                    "source": each.name or None,
                    "account": each.account or None,
                    "expires_at": ends[each.provider] or None,
                }
                for each in sources
            ]
        )
    elif sources:
        source = t("auth.source")
        rows = [
            (
                each.provider,
                t(f"auth.kind.{each.kind}", name=each.name),
                each.account,
                format_time(ends[each.provider]) if each.expires_at else "",
            )
            for each in sources
        ]
        headers = (t("auth.provider"), source, t("auth.account"), t("auth.ends"))
        show_table(headers, rows, cut=(source,))
    else:
        echo(t("auth.none"), err=True)
    if not sources:
        raise typer.Exit(FAILED)


@app.command()
def logout(provider: Provider = "") -> None:
    """Delete a provider's stored key or login. Without a provider: the only one."""
    from ...models.auth.credentials import delete_credential, read_credentials
    from ..prompts.login import warn_of_variable

    home = paths.locate_home()
    stored = list(read_credentials(home))
    if not provider and len(stored) > 1:
        raise UsageError(
            "several keys are stored", hint=text("name one: {names}", names=", ".join(stored))
        )
    name = _find_name(provider) if provider else "".join(stored)
    if not name or not delete_credential(home, name):
        echo(t("auth.nothing", provider=name) if name else t("auth.nothing.at_all"), err=True)
        raise typer.Exit(FAILED)
    echo(t("auth.deleted", provider=name), err=True)
    warn_of_variable(name)


def _find_name(provider: str) -> str:
    from ...models.providers import get_provider

    return get_provider(provider).name if provider else ""


def _needs_login(provider: str) -> bool:
    from ...models.providers import get_provider

    return get_provider(provider).login


def _recognize_provider(key: str) -> str:
    from ...models.auth.key_shapes import recognize_key

    name = recognize_key(key)
    if not name:
        raise UsageError(
            "the key does not show which provider it is for",
            hint="name it: `mcode auth login PROVIDER --token-stdin`",
        )
    return name


def _format_moment(moment: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="seconds") if moment else ""
