"""The commands of a conversation, `/name arguments`, by the names that people know."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...i18n.message_translation import told
from ...rendering.definition_list import listed
from ..prompt.protocol import LeaveRepl
from ..session.session import Session
from . import files, modes, project, status, threads
from .custom import own_commands, say_own

Run = Callable[[Session, str], Awaitable[None]]


@dataclass(frozen=True)
class Slash:
    """One command."""

    name: str
    run: Run
    takes: str = ""
    """Its arguments, as people write them; empty: none."""
    aliases: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """What it does."""
        return t(f"slash.{self.name}")


async def _help(session: Session, _: str) -> None:
    rows = [(f"/{one.name} {one.takes}".rstrip(), one.description) for one in SLASH.values()]
    rows += [
        (f"/{one.name} {one.argument_hint}".rstrip(), told(one.fault) or one.description)
        for one in own_commands(session).values()
        if not find_slash(one.name)
    ]
    session.show(f"{listed(rows)}\n\n{t('slash.help.keys')}")


async def _exit(_: Session, __: str) -> None:
    raise LeaveRepl


SLASH: Mapping[str, Slash] = {
    one.name: one
    for one in (
        Slash("help", _help, aliases=("?",)),
        Slash("model", modes.model, "[NAME]"),
        Slash("mode", modes.mode, "[MODE]"),
        Slash("plan", modes.plan, "[TEXT]"),
        Slash("build", modes.build, "[TEXT]"),
        Slash("clear", threads.clear, aliases=("new",)),
        Slash("compact", status.compact),
        Slash("status", status.status),
        Slash("cost", status.cost),
        Slash("context", status.context),
        Slash("diff", files.diff),
        Slash("undo", files.undo),
        Slash("redo", files.redo),
        Slash("rewind", files.rewind, "[STEP]"),
        Slash("sessions", threads.sessions, "[ID|NAME]"),
        Slash("resume", threads.resume, "[ID|NAME]", aliases=("continue",)),
        Slash("fork", threads.fork, "[STEP]"),
        Slash("rename", threads.rename, "NAME"),
        Slash("init", project.init, "[TEXT]"),
        Slash("trust", project.trust),
        Slash("config", project.config, "[KEY [VALUE]]"),
        Slash("permissions", project.permissions),
        Slash("mcp", project.mcp),
        Slash("skills", project.skills),
        Slash("agents", modes.agents, "[NAME]"),
        Slash("exit", _exit, aliases=("quit",)),
    )
}
_ALIASES = {alias: one for one in SLASH.values() for alias in one.aliases}


def find_slash(name: str) -> Slash | None:
    """The built-in command of that name or alias."""
    return SLASH.get(name) or _ALIASES.get(name)


def described(session: Session) -> dict[str, str]:
    """Every command with what it does, for the menu; of one's own none that is built in."""
    built_in = {one.name: one.description for one in SLASH.values()}
    own = {one.name: one.description for one in own_commands(session).values() if not one.fault}
    return built_in | {name: said for name, said in own.items() if not find_slash(name)}


async def obey(session: Session, line: str) -> None:
    """Do what `/name arguments` says; raises UsageError with near names for a wrong one."""
    name, *rest = line.removeprefix("/").split(maxsplit=1) or [""]
    arguments = "".join(rest).strip()
    if slash := find_slash(name):
        if arguments and not slash.takes:
            raise UsageError(t("slash.takes_nothing", name=slash.name))
        await slash.run(session, arguments)
    elif own := own_commands(session).get(name):
        await say_own(session, own, arguments)
    else:
        raise _unknown(name, described(session))


def _unknown(name: str, known: Mapping[str, str]) -> UsageError:
    begun = [one for one in known if name and one.startswith(name)]
    near = begun or get_close_matches(name, [*known, *_ALIASES], n=3)
    hint = ", ".join(f"`/{one}`" for one in near) if near else "`/help`"
    return UsageError(t("slash.unknown", name=name), hint=t("slash.near", names=hint))
