"""Questions for a provider and its key."""

import os
import sys
from collections.abc import Mapping, Sequence
from getpass import getpass
from typing import TYPE_CHECKING

import typer
from rich.console import Console

from ...config.exit_codes import INTERRUPTED
from ...models.auth.key_shapes import is_valid_key, list_candidates, recognize_key
from ...models.providers import Provider, find_provider, get_provider, load_providers
from ..i18n.catalogs import t
from ..rendering.console import style_text, wrap_for_console
from .interruptible_input import bind_suspension
from .sync_bridge import run_sync
from .text_input import ESCAPE_WAITS, can_edit

if TYPE_CHECKING:
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent
    from rich.console import Console

# Characters that are shown as typed: the number of a choice
SHOWN = 2
# Characters from which on a pasted text is taken as it is
WHOLE = 16
# Characters of the shortest text that can be a key
MIN_KEY_LENGTH = 16


def read_secret(console: Console, prompt: str) -> str:
    """Return what was typed or pasted, without blanks around it; raise as `read_line` does."""
    *above, last = wrap_for_console(console, style_text(prompt, "bold"))
    for row in above:
        console.print(row)
    if can_edit():
        return run_sync(_prompt(last.plain)).strip()
    return getpass(f"{last.plain} ", stream=sys.stderr).strip()


async def _prompt(prompt: str) -> str:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.application import get_app
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.output import create_output

    os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
    session: PromptSession[str] = PromptSession(
        [("bold", prompt), ("", " ")],
        is_password=Condition(lambda: len(get_app().current_buffer.text) > SHOWN),
        key_bindings=_build_bindings(),
        output=create_output(sys.stderr),
    )
    session.app.ttimeoutlen = session.app.timeoutlen = ESCAPE_WAITS
    return await session.prompt_async()


def _build_bindings() -> "KeyBindings":
    from prompt_toolkit.key_binding import KeyBindings

    keys = KeyBindings()
    bind_suspension(keys)

    @keys.add("escape")
    def _abort_prompt(event: "KeyPressEvent") -> None:
        event.app.exit(exception=KeyboardInterrupt, style="class:aborting")

    @keys.add("<bracketed-paste>")
    def _take_paste(event: "KeyPressEvent") -> None:
        pasted = event.data.strip()
        event.current_buffer.insert_text(pasted)
        if len(pasted) >= WHOLE:
            event.current_buffer.validate_and_handle()

    return keys


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

    while not is_valid_key(key := read_secret(console, t("auth.ask.key", provider=provider.name))):
        show_line(console, t("auth.invalid"), "yellow")
    return key
