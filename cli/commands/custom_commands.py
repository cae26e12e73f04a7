"""`mcode commands`: list custom commands and the problems in their files."""

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...config import paths
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..rendering.output import echo, echo_json
from ..rendering.table import show_table
from ..slash_names import BUILTIN_SLASH_NAMES

if TYPE_CHECKING:
    from ...config.agents.custom_commands import CustomCommand
    from ...config.trust.decision import Trust

app = typer.Typer(
    help="List your own commands, used as /NAME in a conversation.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.callback()
def _define_group() -> None:
    """List your own commands, used as /NAME in a conversation."""


@app.command("list")
def list_commands(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List your own commands and those of a trusted project, with their errors."""
    from ...config.agents.custom_commands import load_custom_commands
    from ...config.agents.registry import find_agents
    from ...config.trust.decision import check_trust

    folder, home = Path.cwd(), paths.locate_home()
    trust = check_trust(folder, home)
    commands = list(load_custom_commands(folder, home, trust).values())
    left_out = [*_list_ignored(trust)]
    agents = find_agents(folder, home, trust).profiles
    if as_json:
        facts = [_describe_command(command, agents) for command in commands]
        echo_json({"commands": facts, "not_loaded": left_out})
        return
    usable = [command for command in commands if not command.fault]
    if usable:
        headers = [t("commands.name"), t("commands.what"), t("commands.from")]
        rows = [
            [_format_usage(command), command.description, str(command.file)] for command in usable
        ]
        show_table(headers, rows, cut=headers[1:])
    elif not commands:
        echo(t("commands.none", folder=home / "commands"), err=True)
    for path in left_out:
        echo(t("commands.left_out", path=path), err=True)
    for line in _format_remarks(commands, agents):
        echo(line, err=True)


def _format_usage(command: "CustomCommand") -> str:
    return f"/{command.name} {command.argument_hint}".rstrip()


def _list_ignored(trust: "Trust") -> Iterator[str]:
    """List the project's files that are ignored because the folder is not trusted."""
    if not trust.trusted:
        yield from (item.path for item in trust.inventory if item.kind == "commands")


def _format_remarks(commands: "list[CustomCommand]", agents: Collection[str]) -> Iterator[str]:

    for command in commands:
        if command.fault:
            yield t("commands.fault", name=command.name, fault=translate(command.fault))
        for note in _collect_notes(command, agents):
            yield t("commands.note", name=command.name, note=translate(note))


def _collect_notes(command: "CustomCommand", agents: Collection[str]) -> list[str]:

    shadowed = [t("commands.shadowed")] if command.name in BUILTIN_SLASH_NAMES else []
    is_known = not command.agent or command.agent in agents
    nobody = [] if is_known else [t("commands.no_agent", agent=command.agent)]
    return [*shadowed, *nobody, *command.notes]


def _describe_command(command: "CustomCommand", agents: Collection[str]) -> dict[str, object]:
    return {
        "name": command.name,
        "file": str(command.file),
        "description": command.description,
        "argument_hint": command.argument_hint,
        "agent": command.agent,
        "model": command.model,
        "notes": _collect_notes(command, agents),
        "fault": command.fault,
    }
