"""`mcode doctor`: checks the machine and says what to do about what it finds."""

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ..config import paths
from ..config.errors import UsageError
from .echo import echo_json, say

if TYPE_CHECKING:
    from .checks import Check, Surroundings


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="A JSON list on stdout.")] = False,
) -> None:
    """Check this machine: programs, configuration, provider and key, data directory.

    Exit codes: 0 nothing failed, 1 something did. Asks no network.
    """
    from .checks import CHECKS
    from .i18n import use_language

    if as_json:
        use_language("en")  # a program reads it
    surroundings = _surroundings()
    found = [check(surroundings) for check in CHECKS]
    if as_json:
        echo_json([asdict(each) for each in found])
    else:
        for each in found:
            say(_lines(each))
    raise typer.Exit(1 if any(each.status == "fail" for each in found) else 0)


def _surroundings() -> "Surroundings":
    from ..config.loading import load
    from ..tools.permissions import policy_for
    from ..tools.workspace import Workspace
    from .checks import Surroundings

    home = paths.home()
    try:
        loaded = load(Path.cwd(), home)
        workspace = Workspace(Path.cwd(), tuple(loaded.settings.security.ignore_patterns))
        policy_for(loaded, workspace, usual="ask")  # its rules must be understood too
    except UsageError as problem:
        return Surroundings(os.environ, home, None, problem)
    return Surroundings(os.environ, home, loaded, None)


def _lines(check: "Check") -> str:
    line = f"{check.status:4}  {check.name:14}  {check.detail}".replace("\n", "\n      ")
    return f"{line}\n      → {check.remedy}" if check.remedy else line
