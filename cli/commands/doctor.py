"""`mcode doctor`: checks the machine and says what to do about what it finds."""

import os
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...config import paths
from ...config.errors import UsageError
from ..rendering.output import echo_json, say

if TYPE_CHECKING:
    from .doctor_checks import Check, Surroundings


REMEDY = "      →"


def doctor(
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list.")] = False,
) -> None:
    """Check this machine: programs, configuration, provider and key, data folder.

    Works offline. Exit codes: 0 no failures, 1 some check failed.
    """
    from ..i18n.catalogs import use_language
    from .doctor_checks import CHECKS

    if as_json:
        use_language("en")  # a program reads it
    surroundings = _surroundings()
    found = [check(surroundings) for check in CHECKS]
    if as_json:
        echo_json([asdict(each) for each in found])
    else:
        _show(found)
    raise typer.Exit(1 if any(each.status == "fail" for each in found) else 0)


def _surroundings() -> "Surroundings":
    from ...config.settings.loader import load
    from ...tools.permissions import policy_for
    from ...tools.workspace import Workspace
    from .doctor_checks import Surroundings

    home = paths.home()
    try:
        loaded = load(Path.cwd(), home)
        workspace = Workspace(Path.cwd(), tuple(loaded.settings.security.ignore_patterns))
        policy_for(loaded, workspace, usual="ask")  # its rules must be understood too
    except UsageError as problem:
        return Surroundings(os.environ, home, None, problem)
    return Surroundings(os.environ, home, loaded, None)


def _show(found: "Sequence[Check]") -> None:
    """A line a check and one for its remedy; what is too long goes on below its beginning."""
    from ..i18n.catalogs import t
    from ..rendering.definition_list import hung, room
    from ..rendering.table import GAP, aligned, width_of

    heads = aligned([[t(f"doctor.{one.status}"), t(f"doctor.name.{one.name}")] for one in found])
    names = max(map(width_of, heads)) + len(GAP)
    columns = room()
    indent = names if columns >= 2 * names else len(REMEDY) + 1
    for head, check in zip(heads, found, strict=True):
        lines = [*hung(head, check.detail, indent, columns)]
        if check.remedy:
            lines += hung(REMEDY, check.remedy, len(REMEDY) + 1, columns)
        say("\n".join(lines))
