"""Questions for a provider and its key."""

import os
import re
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from getpass import getpass
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

import typer
from rich.console import Console

from ...config import paths
from ...config.exit_codes import INTERRUPTED
from ...config.network.variables import clean_value
from ...models.address import trim_base_url
from ...models.auth.credentials import Credential, locate_credentials, store_credential
from ...models.auth.key_shapes import clean_key, is_valid_key, list_candidates, recognize_key
from ...models.providers import Provider, find_provider, get_provider, load_providers
from ..i18n.catalogs import t
from ..rendering.console import (
    MARGIN,
    open_console,
    show_heading,
    show_line,
    show_sentence,
    style_text,
    wrap_for_console,
    write_captured,
)
from .choice import Leave, choose_below
from .choice_keys import Choice, ChoiceReply, QuestionHead
from .choice_list import HANG
from .interruptible_input import bind_suspension
from .sync_bridge import run_sync
from .text_input import ESCAPE_WAITS, can_edit, discard_typeahead, read_line

if TYPE_CHECKING:
    from prompt_toolkit.key_binding import KeyBindings
    from prompt_toolkit.key_binding.key_processor import KeyPressEvent

# Characters that are shown as typed: the number of a choice
SHOWN = 2
# Characters from which on a pasted text is taken as it is
WHOLE = 16
# Providers that most people have a key of
LIKELY = ("openai", "anthropic", "gemini", "openrouter", "deepseek", "glm")
# How many are offered before one asks for the others
FIRST = 6
MORE = "more"
# The provider of a server or gateway of the user's own
OWN = "litellm"
# What can be no key: an address with its scheme, of this machine, or with a port
_ADDRESS = re.compile(r"https?://|localhost\b|\d+(?:\.\d+){3}\b|[\w.-]+:\d+(?:/|$)", re.IGNORECASE)
# Columns between the names and what is said of them
GAP = 2
# Characters of the shortest text that can be a key
MIN_KEY_LENGTH = 16


class ProviderChoice(NamedTuple):
    """A provider, its key, and the address of a server of the user's own."""

    provider: str
    key: str = ""
    address: str = ""


def read_secret(console: Console, prompt: str, head: str = "") -> str:
    """Return what was typed or pasted, without blanks around it; raise as `read_line` does.

    `head` are rows above, with their escape codes; where keys can be read, all vanishes with the
    answer.
    """
    *above, last = wrap_for_console(console, style_text(prompt, "bold"))
    if can_edit():
        rows = "".join(f"{row.plain}\n" for row in above)
        return run_sync(_prompt(head, f"{rows}{last.plain}")).strip()
    write_captured(console, head)
    for row in above:
        console.print(row)
    return getpass(f"{last.plain} ", stream=sys.stderr).strip()


async def _prompt(head: str, prompt: str) -> str:
    from prompt_toolkit import PromptSession
    from prompt_toolkit.application import get_app
    from prompt_toolkit.filters import Condition
    from prompt_toolkit.formatted_text import ANSI, to_formatted_text
    from prompt_toolkit.output import create_output

    os.environ.setdefault("PROMPT_TOOLKIT_NO_CPR", "1")
    session: PromptSession[str] = PromptSession(
        [*to_formatted_text(ANSI(head)), ("bold", prompt), ("", " ")],
        is_password=Condition(lambda: len(get_app().current_buffer.text) > SHOWN),
        key_bindings=_build_bindings(),
        output=create_output(sys.stderr),
        erase_when_done=bool(head),
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


def ask_credential(name: str = "", offered: Sequence[Provider] = ()) -> ProviderChoice:
    """Return a provider and its key, which is empty if it needs none but may need a login.

    Raises typer.Exit if the user leaves. `offered` providers are listed first.
    """
    console = open_console()
    try:
        if name:
            return ProviderChoice(name, _ask_key(console, get_provider(name)))
        offers = list_offers(os.environ, offered)
        while True:
            chosen = _ask_provider_or_key(console, offers)
            with suppress(KeyboardInterrupt):  # Esc leads back to the choice
                return _complete_choice(console, chosen)
    except (EOFError, KeyboardInterrupt):
        console.print()
        raise typer.Exit(INTERRUPTED) from None


def _complete_choice(console: Console, chosen: ProviderChoice) -> ProviderChoice:
    """Ask for what the choice leaves open: the address, whose key it is, or the key."""
    if chosen.provider == OWN and not chosen.key:
        return _ask_own_server(console, chosen.address)
    if not chosen.provider:
        return ProviderChoice(_ask_key_provider(console, chosen.key), chosen.key)
    key = chosen.key or _ask_key(console, get_provider(chosen.provider))
    return ProviderChoice(chosen.provider, key)


def _ask_own_server(console: Console, address: str) -> ProviderChoice:
    """Return a server of the user's own, with a key if it needs one."""
    while not address:
        with suppress(ValueError):
            address = trim_base_url(read_line(console, f"{MARGIN}{t('auth.ask.address')}"))
    discard_typeahead()  # Enter after an address that was pasted is no answer
    host = urlsplit(address).netloc.rpartition("@")[2]
    with console.capture() as head:
        show_heading(console, t("auth.key.heading", provider=host), "")
        show_line(console, f"{MARGIN}{t('auth.key.kept', file=name_credentials_file())}", "dim")
        console.print()
    rows = QuestionHead(head.get()).rows
    question = f"{MARGIN}{t('auth.ask.own_key')}"
    while (key := clean_key(read_secret(console, question, rows))) and not is_valid_key(key):
        show_line(console, f"{MARGIN}{t('auth.invalid')}", "yellow")
    return ProviderChoice(OWN, key, address)


def store_choice(home: Path, chosen: ProviderChoice) -> None:
    """Keep the key with the keys, and the address of a server in the user's configuration."""
    from ...config.settings.writer import set_value

    if chosen.key:
        store_credential(home, chosen.provider, Credential(chosen.key))
    if chosen.address:
        set_value(paths.locate_user_config(home), "litellm.base_url", chosen.address)


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
    likely = [get_provider(name) for name in LIKELY]
    every = [*first, *in_environment, *likely, *providers]
    return list({each.name: each for each in every}.values())


def _ask_provider_or_key(console: Console, offers: Sequence[Provider]) -> ProviderChoice:
    """Return the provider that was chosen, the key, or the address; the provider may be open."""
    ask = _choose_offer if can_edit() else _read_offer
    if ask is _read_offer:
        _show_explanation(console)
    while True:
        typed = ask(console, offers)
        if provider := find_provider(typed):
            return ProviderChoice(provider.name)
        if address := recognize_address(typed):
            return find_choice(address)
        key = clean_key(typed)
        if len(key) >= MIN_KEY_LENGTH and is_valid_key(key):
            return ProviderChoice(recognize_key(key), key)
        show_line(console, f"{MARGIN}{t('auth.unclear')}", "yellow")


def recognize_address(typed: str) -> str:
    """Return the base URL that was typed; empty if it may be a key, or the name of a provider."""
    cleaned = clean_value(typed)
    with suppress(ValueError):
        return trim_base_url(cleaned) if _ADDRESS.match(cleaned) else ""
    return ""


def find_choice(address: str) -> ProviderChoice:
    """Return the provider whose own address it is, otherwise a server of the user's own."""
    host = urlsplit(address).hostname
    makers = (each for each in load_providers().values() if each.available and not each.local)
    maker = next((each.name for each in makers if urlsplit(each.base_url).hostname == host), "")
    return ProviderChoice(maker) if maker and maker != OWN else ProviderChoice(OWN, "", address)


def _show_explanation(console: Console) -> None:
    show_heading(console, t("auth.heading"), "")
    show_line(console, f"{MARGIN}{t('auth.explain')}", "")
    show_line(console, f"{MARGIN}{t('auth.explain.key')}", "dim")


def _choose_offer(console: Console, offers: Sequence[Provider]) -> str:
    """Return the provider chosen from the list, or what was typed or pasted."""
    paste = Choice("", t("auth.paste"), needs_text=True, letter="")
    more = Choice(MORE, t("auth.more"), letter="")
    server = Choice(OWN, t("auth.own"), letter="", note=t("auth.own.note"))
    first = [*list_choices(console, offers[:FIRST]), more, server, paste]
    others = [each for each in offers[FIRST:] if each.name != OWN]
    while True:
        reply = _ask_page(console, first, "exit")
        if reply.word != MORE:
            return reply.text or reply.word
        with suppress(KeyboardInterrupt):  # Esc leads back to the first ones
            reply = _ask_page(console, [*list_choices(console, others), server, paste], "back")
            return reply.text or reply.word


def list_choices(console: Console, offers: Sequence[Provider]) -> list[Choice]:
    """Return a row for each provider, with the page of its keys where there is room."""
    room = _measure_note_room(console, offers)
    return [
        Choice(each.name, each.title, letter="", note=_describe_offer(each, room))
        for each in offers
    ]


def _ask_page(console: Console, choices: Sequence[Choice], leave: Leave) -> ChoiceReply:
    which = t("auth.which")
    return choose_below(console, _show_explanation, which, choices, leave, is_secret=True)


def _read_offer(console: Console, offers: Sequence[Provider]) -> str:
    """Return the provider of the number that was typed, or what was typed instead."""
    for line in _format_offers(console, offers):
        show_line(console, line, "")
    typed = read_secret(console, t("auth.ask"))
    is_number = typed.isdecimal() and 0 < int(typed) <= len(offers)
    return offers[int(typed) - 1].name if is_number else typed


def _format_offers(console: Console, offers: Sequence[Provider]) -> list[str]:
    width, room = max(len(each.title) for each in offers), _measure_note_room(console, offers)
    return [
        f"{number:>3}  {each.title:<{width}}  {_describe_offer(each, room)}".rstrip()
        for number, each in enumerate(offers, 1)
    ]


def _measure_note_room(console: Console, offers: Sequence[Provider]) -> int:
    """Return the columns beside the names; 0 if they do not hold the host of every page."""
    room = console.width - len(HANG) - GAP - max(len(each.title) for each in offers)
    return room if all(len(_find_host(each)) <= room for each in offers) else 0


def _find_host(provider: Provider) -> str:
    return provider.key_page.removeprefix("https://").partition("/")[0]


def _describe_offer(provider: Provider, room: int) -> str:
    if provider.local:
        return t("auth.offer.server")
    if provider.login:
        return t("auth.offer.login")
    variables = (name for name in provider.key_variables if os.environ.get(name, "").strip())
    variable = next(variables, "")
    if variable:
        return t("auth.offer.found", variable=variable)
    page = provider.key_page.removeprefix("https://")
    return page if len(page) <= room else _find_host(provider) if room else ""


def _ask_key_provider(console: Console, key: str) -> str:
    """Return the provider of a key whose form several providers use."""
    discard_typeahead()  # a key that came again is not shown as an answer
    names = list_candidates(key)
    choices = [Choice(name, get_provider(name).title, letter="") for name in names]
    while True:
        reply = choose_below(console, lambda _: None, t("auth.ask.provider"), choices, "back")
        provider = find_provider(reply.text or reply.word)
        if provider and provider.name in names:
            return provider.name
        show_line(console, t("auth.unclear.provider", count=len(names)), "yellow")


def _ask_key(console: Console, provider: Provider) -> str:
    """Return the key, or an empty string if the provider has a login or needs none."""
    if provider.login or provider.local:
        return ""
    with console.capture() as head:
        _show_key_page(console, provider)
    rows = QuestionHead(head.get()).rows
    question = f"{MARGIN}{t('auth.ask.key', provider=provider.title)}"
    while not is_valid_key(key := clean_key(read_secret(console, question, rows))):
        with console.capture() as remark:
            show_line(console, f"{MARGIN}{t('auth.invalid')}", "yellow")
        rows = remark.get() if not can_edit() else rows + remark.get()
    return key


def _show_key_page(console: Console, provider: Provider) -> None:
    """Show where to get a key, and where it is kept."""
    show_heading(console, t("auth.key.heading", provider=provider.title), "")
    if provider.key_page:
        show_sentence(console, f"{MARGIN}{t('auth.key.page', page=provider.key_page)}")
    show_line(console, f"{MARGIN}{t('auth.key.kept', file=name_credentials_file())}", "dim")
    console.print()


def name_credentials_file() -> str:
    """Return the path of the file that keeps the keys, as short as it can be typed."""
    return str(locate_credentials(paths.locate_home())).replace(f"{Path.home()}/", "~/", 1)
