"""Choice of a model from a list with window and price."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import typer

from ...config.errors import MaxAgentError
from ...config.exit_codes import INTERRUPTED
from ..i18n.catalogs import t

if TYPE_CHECKING:
    from ...models.resolver import ResolvedModel

# Models in the list: each is chosen by one digit
SHOWN = 9


async def list_model_names(resolved: "ResolvedModel") -> list[str]:
    """Return the provider's models, the usual one first, then those that the catalogue knows."""
    from ...models.catalog import list_models_of

    known = list_models_of(resolved.provider.name)
    try:
        served = await _list_served_names(resolved)
    except MaxAgentError:  # the test request says what is wrong
        served = []
    names = [name for name in known if name in served] + [*served] if served else known
    usual = [resolved.model] if resolved.model and (resolved.model in served or not served) else []
    return list(dict.fromkeys([*usual, *names]))


async def _list_served_names(resolved: "ResolvedModel") -> list[str]:
    from ...models.served_models import can_chat, list_served_models

    return [name for name in await list_served_models(resolved) if can_chat(name)]


def ask_model(provider: str, names: Sequence[str]) -> str:
    """Return the model that the user chooses: Enter is the first."""
    from ..rendering.console import open_console, show_line
    from .text_input import read_line

    console, offered = open_console(), names[:SHOWN]
    for line in format_models(provider, offered):
        show_line(console, line, "")
    if len(names) > SHOWN:
        show_line(console, t("model_choice.more", count=len(names) - SHOWN), "dim")
    try:
        while True:
            typed = read_line(console, t("model_choice.ask", model=names[0]))
            if not typed:
                return names[0]
            if typed.isdecimal() and 0 < int(typed) <= len(offered):
                return offered[int(typed) - 1]
            if typed in names:
                return typed
            show_line(console, t("model_choice.unclear", count=len(offered)), "yellow")
    except (EOFError, KeyboardInterrupt):
        console.print()
        raise typer.Exit(INTERRUPTED) from None


def format_models(provider: str, names: Sequence[str]) -> list[str]:
    """Return one line for each model: number, name, window, price."""
    width = max(map(len, names))
    return [
        f"{number}  {name:<{width}}  {_describe_model(f'{provider}/{name}')}".rstrip()
        for number, name in enumerate(names, 1)
    ]


def _describe_model(name: str) -> str:
    from ...models.catalog import find_model
    from ..rendering.model_listing import format_price, format_tokens, to_price_object

    entry = find_model(name)
    if entry is None:
        return ""
    price = format_price(to_price_object(entry.price)) if entry.price else ""
    return f"{format_tokens(entry.context):>4}  {price.replace(' / ', '/')}".rstrip()
