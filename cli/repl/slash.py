"""The commands of a conversation, `/name arguments`, by the names that people know."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from ...config.errors import UsageError
from ..i18n import t
from ..listed import listed
from ..told import told
from . import slash_facts, slash_files, slash_modes, slash_project, slash_threads
from .own_slashes import own_commands, say_own
from .prompt import LeaveRepl
from .session import Session

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
        Slash("model", slash_modes.model, "[NAME]"),
        Slash("mode", slash_modes.mode, "[MODE]"),
        Slash("plan", slash_modes.plan, "[TEXT]"),
        Slash("build", slash_modes.build, "[TEXT]"),
        Slash("clear", slash_threads.clear, aliases=("new",)),
        Slash("compact", slash_facts.compact),
        Slash("status", slash_facts.status),
        Slash("cost", slash_facts.cost),
        Slash("context", slash_facts.context),
        Slash("diff", slash_files.diff),
        Slash("undo", slash_files.undo),
        Slash("redo", slash_files.redo),
        Slash("rewind", slash_files.rewind, "[STEP]"),
        Slash("sessions", slash_threads.sessions, "[ID|NAME]"),
        Slash("resume", slash_threads.resume, "[ID|NAME]", aliases=("continue",)),
        Slash("fork", slash_threads.fork, "[STEP]"),
        Slash("rename", slash_threads.rename, "NAME"),
        Slash("init", slash_project.init, "[TEXT]"),
        Slash("trust", slash_project.trust),
        Slash("config", slash_project.config, "[KEY [VALUE]]"),
        Slash("permissions", slash_project.permissions),
        Slash("mcp", slash_project.mcp),
        Slash("skills", slash_project.skills),
        Slash("agents", slash_modes.agents, "[NAME]"),
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
