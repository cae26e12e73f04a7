"""`/init`, `/trust`, `/config` and others: the project and its configuration."""

from functools import partial
from typing import TYPE_CHECKING

from ..session.cli_bridge import run_cli_command
from ..session.message import run_message
from ..session.session import Session

if TYPE_CHECKING:
    pass


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
