"""The first run without any key: choose a provider, paste a key or log in, choose a model."""

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ...config import paths
from ...config.errors import MaxAgentError, UsageError
from ...config.exit_codes import INTERRUPTED
from ...models.auth.credentials import has_key
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..lazy_imports import without_collector
from .terminal_echo import hidden_echo

if TYPE_CHECKING:
    from rich.console import Console

    from ...config.settings.schema import Settings
    from ...models.resolver import ResolvedModel
    from .credential_input import ProviderChoice

# Seconds for the test request
TEST_SECONDS = 60.0
# Tokens of its answer: more than the least that endpoints accept
TEST_TOKENS = 32


def lead_to_first_key(folder: Path, options: Mapping[str, object]) -> None:
    """Ask for a provider, a key and a model, if there is none and a user at a terminal."""
    home = paths.locate_home()
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    if options.get("model") or options.get("base_url") or has_key(os.environ, home):
        return
    with hidden_echo():
        settings = _load_settings(folder, home)
        if settings and not _is_configured(settings):
            _ask_until_it_works(settings, home)


def welcome(home: Path) -> None:
    """Say what has been started, the first time that a user starts it."""
    if home.exists() or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return
    from ..rendering.console import MARGIN, open_console, show_line  # imports rich

    console = open_console()
    console.print()
    show_line(console, f"{MARGIN}{t('first_run.welcome')}", "bold")
    show_line(console, f"{MARGIN}{t('first_run.welcome.how')}", "dim")


def _load_settings(folder: Path, home: Path) -> "Settings | None":
    """Return the settings; None if they are invalid, which the conversation reports."""
    with without_collector():
        from ...config.settings.loader import load_settings
    try:
        return load_settings(folder, home).settings
    except UsageError:
        return None


def _is_configured(settings: "Settings") -> bool:
    """Return whether the user has named a model, an endpoint, or a server of this machine."""
    from ...models.providers import load_providers

    section = settings.litellm
    servers = (each for each in load_providers().values() if each.local or each.name == "litellm")
    return bool(
        settings.model.default
        or section.provider
        or section.base_url
        or section.api_key
        or any(each.find_endpoint(os.environ) for each in servers)
    )


def _ask_until_it_works(settings: "Settings", home: Path) -> None:
    from ...models.served_models import find_local_servers
    from ..rendering.console import format_error, open_console
    from .credential_input import ask_credential
    from .login import log_in

    servers = find_local_servers(os.environ)
    while True:
        chosen = ask_credential("", servers)
        try:
            if not chosen.key and _needs_login(chosen.provider):
                log_in(chosen.provider)
            _set_up_provider(settings, home, chosen)
            return
        except MaxAgentError as error:
            hint = translate(error.hint) if error.hint else ""
            console = open_console()
            for row in format_error(console, translate(error.message), hint):
                console.print(row)


def _needs_login(name: str) -> bool:
    from ...models.providers import get_provider

    return get_provider(name).login


def _set_up_provider(settings: "Settings", home: Path, chosen: "ProviderChoice") -> None:
    """Test the provider, store its key and address, and set the model that the user chooses."""
    from ...config.settings.writer import set_value
    from ..rendering.console import open_console, show_decision
    from .credential_input import name_credentials_file, store_choice

    if chosen.address:
        endpoint = settings.litellm.model_copy(update={"base_url": chosen.address})
        settings = settings.model_copy(update={"litellm": endpoint})
    console = open_console()
    resolved = _resolve_with_key(settings, chosen.provider, chosen.key)
    is_own = bool(chosen.address)
    provider = resolved.host if is_own else resolved.provider.title or chosen.provider
    names = _test_visibly(console, resolved, provider)
    store_choice(home, chosen)
    if chosen.key:
        show_decision(console, t("first_run.kept", provider=provider, file=name_credentials_file()))
    else:
        show_decision(console, t("first_run.connected", provider=provider))
    model = _choose_model(settings, resolved, names)
    set_value(paths.locate_user_config(home), "model.default", model)
    show_decision(console, t("first_run.ready", model=model))


def _test_visibly(console: "Console", resolved: "ResolvedModel", provider: str) -> list[str]:
    """Send the test message below a row that says so, and vanishes."""
    from ..rendering.console import MARGIN, TransientRows, style_text, wrap_for_console
    from .sync_bridge import run_sync

    testing = t("first_run.testing", provider=provider, host=resolved.host)
    rows = TransientRows(console)
    rows.show_rows(wrap_for_console(console, style_text(f"{MARGIN}⋯ {testing}", "cyan")))
    try:
        return run_sync(_test_provider(resolved))
    finally:
        rows.show_rows([])


def _choose_model(settings: "Settings", resolved: "ResolvedModel", names: Sequence[str]) -> str:
    """Return `PROVIDER/MODEL` that the user selects; raises typer.Exit if they leave."""
    from ...models.listing import list_models_with_names
    from .model_picker import pick_model
    from .text_input import discard_typeahead

    discard_typeahead()  # a key that came again is not shown as a search
    listings = list_models_with_names(settings, os.environ, resolved.provider, names, "")
    model = listings[0].model.name if len(listings) == 1 else pick_model(listings)
    if not model:
        raise typer.Exit(INTERRUPTED)
    return model


def _resolve_with_key(settings: "Settings", name: str, key: str) -> "ResolvedModel":
    from ...models.providers import get_provider
    from ...models.resolver import resolve

    variables = get_provider(name).key_variables
    environ = {**os.environ, variables[0]: key} if key and variables else os.environ
    return resolve(settings, environ, f"{name}/")


async def _test_provider(resolved: "ResolvedModel") -> list[str]:
    """Send one short message; return the names of the models that can be chosen."""
    from ...models.errors import EmptyAnswerError, ModelNotFoundError
    from ...models.served_models import list_chat_models, list_served_models

    names = await list_chat_models(resolved)
    if not names:
        await list_served_models(resolved)  # says what is wrong with a server that does not answer
        raise UsageError(
            t("first_run.no_model", provider=resolved.provider.name, host=resolved.host)
        )
    default = resolved.model if resolved.model in names else names[0]
    try:
        async with asyncio.timeout(TEST_SECONDS):
            await _send_message(replace(resolved, model=default, max_tokens=TEST_TOKENS))
    except (EmptyAnswerError, ModelNotFoundError):
        pass  # the key is accepted, though not for this model, or for so short an answer
    return names


async def _send_message(resolved: "ResolvedModel") -> None:
    with without_collector():
        from langchain_core.messages import HumanMessage

        from ...models.factory import close_model, open_model
        from ...models.invoke import invoke_model

    chat_model = open_model(resolved)
    try:
        await invoke_model(chat_model, [HumanMessage("Say hi.")])
    finally:
        await close_model(chat_model)
