"""`mcode test detect`: the test commands of a project."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ....config.exit_codes import FAILED
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...options import Folder
from ...prompts.trust import warn_untrusted
from ...rendering.output import echo, echo_json
from ..threads.listing import AsJson

if TYPE_CHECKING:
    from ....tools.testing.command import TestCommand


def detect(folder: Folder = Path("."), as_json: AsJson = False) -> None:
    """List the project's test commands and how each was found. Runs nothing.

    `task.test_command` comes first, and replaces the others. Exit code 1: none found.
    """
    from ....tools.testing.detection import NONE_FOUND, SIGNS
    from ...rendering.table import show_table
    from .project import open_project

    warn_untrusted(folder)
    commands = open_project(folder).detect()
    if as_json:
        echo_json([_describe_command(command) for command in commands])
    elif commands:
        headers = tuple(t(f"test.{name}") for name in ("framework", "language", "found", "command"))
        rows = [_build_row(command) for command in commands]
        show_table(headers, rows, cut=headers[2:])
        for command in commands:
            if command.problem:
                echo(f"{command.framework}: {translate(command.problem)}", err=True)
    if not commands:
        echo(t("test.none", what=translate(NONE_FOUND), signs=translate(SIGNS)), err=True)
        raise typer.Exit(FAILED)


def _build_row(command: "TestCommand") -> tuple[str, ...]:
    from ....tools.testing.detection import format_command

    return (
        command.framework,
        command.language or "-",
        command.found_by,
        format_command(command),
    )


def _describe_command(command: "TestCommand") -> dict[str, str]:
    from ....tools.testing.detection import format_command

    return {
        "framework": command.framework,
        "language": command.language,
        "found_by": command.found_by,
        "command": format_command(command),
        "folder": command.folder,
        "problem": translate(command.problem),
    }
