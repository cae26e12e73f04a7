"""`/init`, `/trust`, `/config`, `/memory` and others: the project and its configuration."""

from collections.abc import Callable
from functools import partial

from ....config.errors import UsageError
from ...i18n.catalogs import t
from ..session.cli_bridge import run_cli_command
from ..session.message import run_message
from ..session.note import find_off_switch
from ..session.session import Session

SUBCOMMANDS = (
    *("list", "all", "search", "show", "add", "edit", "forget"),
    *("inbox", "keep", "drop", "on", "off"),
)


async def init_project(session: Session, words: str) -> None:
    """Let the agent inspect the project and write AGENTS.md, with the usual approval."""
    from ...commands.init import build_request

    session.plan = False  # plan mode could write only the plan
    session.title = "/init"
    await run_message(session, build_request(words), agent="build")


async def review_trust(session: Session, _: str) -> None:
    """Show the project files, and ask whether to trust the folder, from the next message on."""
    from ...commands.trust import trust as command

    await run_cli_command(session, command)


async def log_in(session: Session, provider: str) -> None:
    """Store a key or log in to GitHub Copilot; the next message uses it."""
    from ...commands.auth import login as command

    await run_cli_command(session, partial(command, provider))


async def edit_config(session: Session, words: str) -> None:
    """Show the settings, show one, or set one in the user's file."""
    from ...commands import config as command

    key, _, value = words.partition(" ")
    if value:
        await run_cli_command(session, partial(command.set_setting, key, value.strip()))
    elif key:
        await run_cli_command(session, partial(command.get, key))
    else:
        await run_cli_command(session, partial(command.show, show_origin=True))


async def show_permissions(session: Session, _: str) -> None:
    """List the rules in force, and the mode."""
    from ...commands.permissions import show_rules

    await run_cli_command(session, partial(show_rules, session.mode))


async def show_skills(session: Session, _: str) -> None:
    """List the skills, and what is wrong with others."""
    from ...commands.skills.listing import list_skills

    await run_cli_command(session, list_skills)


async def manage_memory(session: Session, words: str) -> None:
    """List, search or change cards, decide about proposals, or switch memory off for the thread."""
    name, _, rest = words.strip().partition(" ")
    if name in ("on", "off"):
        session.options = {**session.options, "memory": name == "on"}
        if not await _show_if_off(session):
            session.show(t("slash.memory.on"))
        return
    command = _find_command(name or "list", rest.strip())
    await run_cli_command(session, command)
    await _show_if_off(session)
    if name in ("keep", "drop", "edit", "forget"):
        session.proposals = {
            card_id: content
            for card_id, content in session.proposals.items()
            if not any(card_id.startswith(word) for word in rest.split())
        }
        session.prompt.refresh()


async def _show_if_off(session: Session) -> bool:
    """Say so if memory is off; return whether it is."""
    key = await find_off_switch(session)
    if key:
        session.show(t(f"slash.memory.{key}"))
    return bool(key)


def _find_command(name: str, rest: str) -> Callable[[], object]:
    """Return the command of `mcode memory` that does this."""
    from ...commands.memory import editing, inbox, listing
    from ...commands.memory.card_type import CardTypeName

    first, _, text = rest.partition(" ")
    commands: dict[str, tuple[bool, Callable[[], object]]] = {
        "list": (True, listing.list_cards),
        "all": (True, partial(listing.list_cards, every=True)),
        "inbox": (True, partial(inbox.list_proposals)),
        "search": (bool(rest), partial(listing.search, rest)),
        "show": (bool(rest), partial(listing.show, first)),
        "add": (bool(rest), partial(editing.add, rest)),
        "edit": (bool(text.strip()), partial(editing.edit, first, text.strip())),
        "forget": (bool(rest), partial(editing.forget, rest.split())),
        "keep": (bool(rest), partial(inbox.keep, rest.split())),
        "drop": (bool(rest), partial(inbox.drop, rest.split())),
    }
    types = {t(f"memory.type.{type}"): type for type in CardTypeName} | CardTypeName.__members__
    if name in types and not rest:
        return partial(listing.list_cards, type=types[name])
    is_complete, command = commands.get(name, (False, listing.list_cards))
    if name not in commands or not is_complete:
        names = ", ".join(f"`{each}`" for each in (*SUBCOMMANDS, *list(types)[: len(CardTypeName)]))
        hint = t("slash.memory.hint", names=names)
        raise UsageError(t("slash.memory.unknown", words=f"{name} {rest}".strip()), hint=hint)
    return command
