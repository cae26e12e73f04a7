"""Questions for a provider and its key."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import typer

from ...config.exit_codes import INTERRUPTED
from ...models.auth.key_shapes import is_valid_key, list_candidates, recognize_key
from ...models.providers import Provider, find_provider, get_provider, load_providers
from ..i18n.catalogs import t

if TYPE_CHECKING:
    from rich.console import Console

# Characters of the shortest text that can be a key
MIN_KEY_LENGTH = 16


def ask_credential(name: str = "", offered: Sequence[Provider] = ()) -> tuple[str, str]:
    """Return a provider and its key, which is empty if it needs none but may need a login.

    Raises typer.Exit if the user leaves. `offered` providers are listed first.
    """
    from ..rendering.console import open_console

    console = open_console()
    try:
        while not name:
            name, key = _ask_provider_or_key(console, list_offers(os.environ, offered))
            if key:
                return name, key
        provider = get_provider(name)
        return name, "" if provider.login or provider.local else _ask_key(console, provider)
    except (EOFError, KeyboardInterrupt):
        console.print()
        raise typer.Exit(INTERRUPTED) from None


def list_offers(environ: Mapping[str, str], first: Sequence[Provider] = ()) -> list[Provider]:
    """Return the providers to choose from: those, those in the environment, the others."""
    providers = [
        each
        for each in load_providers().values()
        if each.available and (each.key_variables or each.login) and not each.local
    ]
    in_environment = [
        each for each in providers if each.find_key(environ) or each.find_endpoint(environ)
    ]
    return list({each.name: each for each in [*first, *in_environment, *providers]}.values())


def _ask_provider_or_key(console: "Console", offers: Sequence[Provider]) -> tuple[str, str]:
    """Return the provider of the number or name, or the key and its provider."""
    from ..rendering.console import show_line
    from .secret_input import read_secret

    for line in _format_offers(offers):
        show_line(console, line, "")
    while True:
        typed = read_secret(console, t("auth.ask"))
        if typed.isdecimal() and 0 < int(typed) <= len(offers):
            return offers[int(typed) - 1].name, ""
        if provider := find_provider(typed):
            return provider.name, ""
        if len(typed) >= MIN_KEY_LENGTH and is_valid_key(typed):
            return recognize_key(typed) or _ask_key_provider(console, typed), typed
        show_line(console, t("auth.unclear", count=len(offers)), "yellow")


def _format_offers(offers: Sequence[Provider]) -> list[str]:
    width = max(len(each.name) for each in offers)
    return [
        f"{number:>3}  {each.name:<{width}}  {_describe_offer(each)}"
        for number, each in enumerate(offers, 1)
    ]


def _describe_offer(provider: Provider) -> str:
    if provider.local:
        return t("auth.offer.server")
    if provider.login:
        return t("auth.offer.login")
    variables = (name for name in provider.key_variables if os.environ.get(name, "").strip())
    return next(variables, provider.key_variables[0])


def _ask_key_provider(console: "Console", key: str) -> str:
    """Return the provider of a key whose form several providers use."""
    from ..rendering.console import show_line
    from .choice import choose
    from .choice_keys import Choice
    from .text_input import discard_typeahead

    discard_typeahead()  # a key that came again is not shown as an answer
    names = list_candidates(key)
    choices = [Choice(name, name, letter="") for name in names]
    while True:
        reply = choose(console, t("auth.ask.provider"), choices)
        if (name := reply.text or reply.word) in names:
            return name
        show_line(console, t("auth.unclear.provider", count=len(names)), "yellow")


def _ask_key(console: "Console", provider: Provider) -> str:
    from ..rendering.console import show_line
    from .secret_input import read_secret

    while not is_valid_key(key := read_secret(console, t("auth.ask.key", provider=provider.name))):
        show_line(console, t("auth.invalid"), "yellow")
    return key
