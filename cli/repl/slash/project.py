"""`/init`, `/trust`, `/config` and others: the project, and what is set up for it."""

from functools import partial
from typing import TYPE_CHECKING

from ...i18n.catalogs import t
from ..session.cli_bridge import as_typed
from ..session.session import Session

if TYPE_CHECKING:
    from ....config.trust.inventory import Kind


async def init(session: Session, words: str) -> None:
    """Let the agent look at the project and write AGENTS.md; the change is asked as any other."""
    from ...commands.init import request

    session.plan = False  # where nothing but the plan could be written
    session.title = "/init"
    await session.say(request(words), agent="build")


async def trust(session: Session, _: str) -> None:
    """Show what the folder brings, and ask whether to trust it; the next message finds it so."""
    from ...commands.trust import trust as command

    await as_typed(session, command)


async def config(session: Session, words: str) -> None:
    """Show the settings, show one, or set one in the user's file."""
    from ...commands import config as command

    key, _, value = words.partition(" ")
    if value:
        await as_typed(session, partial(command.set_, key, value.strip()))
    elif key:
        await as_typed(session, partial(command.get, key))
    else:
        await as_typed(session, partial(command.show, show_origin=True))


async def permissions(session: Session, _: str) -> None:
    """List the rules in force, and the mode."""
    from ...commands.permissions import show_rules

    await as_typed(session, partial(show_rules, session.mode))


async def mcp(session: Session, _: str) -> None:
    """Say that servers are not used yet, and which are configured."""
    _tell_later(session, "mcp")


async def skills(session: Session, _: str) -> None:
    """Say that skills are not used yet, and which there are."""
    _tell_later(session, "skills")


def _tell_later(session: Session, kind: "Kind") -> None:
    from ....config.trust.inventory import brought

    found = [one.path for one in brought(session.folder) if one.kind == kind]
    files = ", ".join(found) or t("slash.later.nothing")
    session.show(t(f"slash.{kind}.later"))
    session.show(t("slash.later.found", files=files))
