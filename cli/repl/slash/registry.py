"""The slash commands of a conversation: `/name arguments`.

A new slash command takes:

- a function in `cli/repl/slash/`, a line in `cli/repl/slash/registry.py`
- its name in `cli/slash_names.py`
- `slash.NAME` and its other keys in both `mcode.po`
- `docs/commands.md`
"""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from difflib import get_close_matches

from ....config.errors import UsageError
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...rendering.definition_list import format_definition_list
from ..prompt.protocol import ReplExit
from ..session.message import run_message
from ..session.session import Session
from . import checks, context, files, keys, mcp_servers, modes, project, status, threads, transcript
from .custom import list_custom_commands, list_invocable_skills, run_custom_command

SlashHandler = Callable[[Session, str], Awaitable[None]]


@dataclass(frozen=True)
class SlashCommand:
    """One slash command."""

    name: str
    run: SlashHandler
    argument_hint: str = ""
    """Its arguments, for display; empty: none."""
    aliases: tuple[str, ...] = ()

    @property
    def description(self) -> str:
        """Help text of the command."""
        return t(f"slash.{self.name}")


async def _show_help(session: Session, _: str) -> None:
    rows = [
        (f"/{command.name} {command.argument_hint}".rstrip(), command.description)
        for command in SLASH_COMMANDS.values()
    ]
    rows += [
        (
            f"/{command.name} {command.argument_hint}".rstrip(),
            translate(command.fault) or command.description,
        )
        for command in list_custom_commands(session).values()
        if not find_slash(command.name)
    ]
    rows += [
        (f"/{name} {skill.argument_hint}".rstrip(), skill.summary)
        for name, skill in list_invocable_skills(session).items()
    ]
    session.show(f"{format_definition_list(rows)}\n\n{t('slash.help.keys')}")


async def _exit_repl(_: Session, __: str) -> None:
    raise ReplExit


SLASH_COMMANDS: Mapping[str, SlashCommand] = {
    command.name: command
    for command in (
        SlashCommand("help", _show_help, aliases=("?",)),
        SlashCommand("model", modes.switch_model, "[NAME]"),
        SlashCommand("think", modes.switch_thinking, "[auto|on|off|show]"),
        SlashCommand("effort", modes.switch_effort, "[auto|low|medium|high|max]"),
        SlashCommand("mode", modes.switch_mode, "[MODE]"),
        SlashCommand("plan", modes.switch_to_plan, "[TEXT]"),
        SlashCommand("build", modes.switch_to_build, "[TEXT]"),
        SlashCommand("clear", threads.clear, aliases=("new",)),
        SlashCommand("compact", context.compact, "[TEXT]"),
        SlashCommand("status", status.show_status),
        SlashCommand("jobs", status.manage_jobs, "[output ID|kill ID]", aliases=("background",)),
        SlashCommand("cost", status.show_cost),
        SlashCommand("context", context.show_context),
        SlashCommand("uncompact", context.uncompact),
        SlashCommand("todos", status.show_todos),
        SlashCommand("copy", threads.copy_answer, "[N]"),
        SlashCommand("export", threads.export_conversation, "[FILE]"),
        SlashCommand("transcript", transcript.show_transcript),
        SlashCommand("btw", threads.ask_beside, "TEXT"),
        SlashCommand("diff", files.show_changes),
        SlashCommand("goal", checks.work_until_checked, "TEXT"),
        SlashCommand("review", checks.review, "[BASE..HEAD|PR]"),
        SlashCommand("test", checks.run_project_tests, "[ARGS]"),
        SlashCommand("commit", files.commit_changes, "[all] [TEXT]"),
        SlashCommand("undo", files.undo),
        SlashCommand("redo", files.redo),
        SlashCommand("rewind", files.rewind_thread, "[STEP]"),
        SlashCommand("sessions", threads.list_sessions, "[ID|NAME]"),
        SlashCommand("resume", threads.resume_thread, "[ID|NAME]", aliases=("continue",)),
        SlashCommand("fork", threads.fork_thread, "[STEP]"),
        SlashCommand("rename", threads.rename_thread, "NAME"),
        SlashCommand("init", project.init_project, "[TEXT]"),
        SlashCommand("trust", project.review_trust),
        SlashCommand("config", project.edit_config, "[KEY [VALUE]]"),
        SlashCommand("permissions", project.show_permissions),
        SlashCommand("mcp", mcp_servers.manage_servers, "[tools NAME|reconnect NAME]"),
        SlashCommand("skills", project.show_skills),
        SlashCommand("agents", modes.switch_agent, "[NAME]"),
        SlashCommand("login", project.log_in, "[PROVIDER]"),
        SlashCommand("memory", project.manage_memory, "[inbox|keep ID|drop ID|add TEXT|…]"),
        SlashCommand("doctor", checks.check_machine),
        SlashCommand("theme", keys.choose_theme, "[NAME]"),
        SlashCommand("keys", keys.show_keys),
        SlashCommand("vim", keys.toggle_vi_keys),
        SlashCommand("exit", _exit_repl, aliases=("quit",)),
    )
}
_ALIASES = {alias: command for command in SLASH_COMMANDS.values() for alias in command.aliases}


def find_slash(name: str) -> SlashCommand | None:
    """Return the built-in command of that name or alias."""
    return SLASH_COMMANDS.get(name) or _ALIASES.get(name)


def describe_commands(session: Session) -> dict[str, str]:
    """Return every command with its description; a custom one does not replace a built-in one."""
    built_in = {command.name: command.description for command in SLASH_COMMANDS.values()}
    own = {
        command.name: command.description
        for command in list_custom_commands(session).values()
        if not command.fault
    }
    skills = {name: skill.summary for name, skill in list_invocable_skills(session).items()}
    return built_in | {
        name: description for name, description in (skills | own).items() if not find_slash(name)
    }


async def run_slash_command(session: Session, line: str) -> None:
    """Run `/name arguments`; raise UsageError with similar names for an unknown one."""
    name, *rest = line.removeprefix("/").split(maxsplit=1) or [""]
    arguments = "".join(rest).strip()
    if slash := find_slash(name):
        if arguments and not slash.argument_hint:
            raise UsageError(t("slash.takes_nothing", name=slash.name))
        await slash.run(session, arguments)
    elif own := list_custom_commands(session).get(name):
        await run_custom_command(session, own, arguments)
    elif ":" in name:
        await mcp_servers.run_prompt(session, name, arguments)
    elif name in list_invocable_skills(session):
        await run_message(session, f"/{line.removeprefix('/')}")  # the graph loads the skill
    else:
        raise _build_unknown_error(name, describe_commands(session))


def _build_unknown_error(name: str, descriptions: Mapping[str, str]) -> UsageError:
    lowered = name.lower()
    completions = [
        command_name for command_name in descriptions if name and command_name.startswith(lowered)
    ]
    near = completions or get_close_matches(lowered, [*descriptions, *_ALIASES], n=3)
    hint = ", ".join(f"`/{command_name}`" for command_name in near) if near else "`/help`"
    return UsageError(t("slash.unknown", name=name), hint=t("slash.near", names=hint))
