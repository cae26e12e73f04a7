"""`mcode trust`: trust a folder, list trusted folders, revoke trust."""

import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from ...config import exit_codes, paths
from ...config.errors import NotInteractiveError, UsageError
from ...config.text import text
from ..i18n.catalogs import t
from ..rendering.output import echo, echo_json
from ..rendering.sanitize import sanitize_line
from ..rendering.table import show_table

Folder = Annotated[Path, typer.Argument(help="Project folder; default: the current folder.")]


def trust(
    folder: Folder = Path("."),
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    list_: Annotated[bool, typer.Option("--list", help="List trusted folders.")] = False,
    revoke: Annotated[bool, typer.Option("--revoke", help="Revoke trust in the folder.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="With --list: print JSON.")] = False,
) -> None:
    """Show a folder's project files (configuration, instructions, tests), and trust it.

    Trust is for this folder only, and ends for a file when it changes. Exit codes: 0 trusted, 1 not
    trusted, 2 cannot be trusted, 4 needs an answer.
    """
    if (list_ and (revoke or yes)) or (revoke and yes) or (as_json and not list_):
        raise UsageError("these options cannot be used together", hint="`mcode trust --help`")
    if list_:
        _list_folders(as_json)
    elif revoke:
        _revoke_trust(folder)
    else:
        _confirm_trust(folder, yes=yes)


def _confirm_trust(folder: Path, *, yes: bool) -> None:
    from ...config.trust.decision import check_trust, grant_trust, with_referenced_files
    from ..prompts.choice import confirm
    from ..prompts.trust import show_inventory
    from ..rendering.listings.trust_inventory import format_inventory

    if not folder.is_dir():
        raise UsageError(
            text("`{folder}` is not a folder", folder=folder), hint="give a project folder"
        )
    home = paths.locate_home()
    folder_trust = with_referenced_files(check_trust(folder, home))
    name = sanitize_line(folder_trust.folder)
    if folder_trust.trusted and not folder_trust.changed:
        echo(t("trust.already", folder=name), err=True)
        for line in format_inventory(folder_trust, tests=True):
            echo(line, err=True)
        return
    show_inventory(folder_trust, tests=True)
    if not yes and not folder_trust.unreadable and not folder_trust.damaged:
        if not sys.stdin.isatty():
            raise NotInteractiveError(hint="add `--yes` to trust it without asking")
        if not confirm(t("trust.confirm")):
            echo(
                t("trust.stays.partly" if folder_trust.trusted else "trust.stays", folder=name),
                err=True,
            )
            raise typer.Exit(exit_codes.FAILED)
    grant_trust(folder_trust, home)
    echo(t("trust.done", folder=name), err=True)


def _revoke_trust(folder: Path) -> None:
    from ...config.trust.decision import revoke_trust

    was = revoke_trust(folder, paths.locate_home())
    name = sanitize_line(os.path.realpath(folder))
    echo(t("trust.revoked" if was else "trust.unknown", folder=name), err=True)


def _list_folders(as_json: bool) -> None:
    from ...config.trust.store import read_consents
    from ..rendering.listings.threads import format_time

    record = read_consents(paths.locate_home())
    states = {folder: _find_state(folder) for folder in record}
    if as_json:
        facts = [
            (name, yes.since, states[name][0], [*yes.files, *yes.further], states[name][1])
            for name, yes in record.items()
        ]
        keys = ("folder", "since", "state", "files", "changed")
        echo_json([dict(zip(keys, fact, strict=True)) for fact in facts])
    elif record:
        rows = [
            (sanitize_line(folder), format_time(consent.since), _format_state(*states[folder]))
            for folder, consent in record.items()
        ]
        where = t("trust.where")
        show_table((where, t("trust.since"), t("trust.state")), rows, cut=(where,))
    else:
        echo(t("trust.none"), err=True)


def _find_state(folder: str) -> tuple[str, Sequence[str]]:
    """Return `trusted`, `changed` or `gone`, and what changed except new files in subfolders."""
    from ...config.trust.decision import check_trust, find_further_changes

    if not os.path.isdir(folder):
        return "gone", ()
    folder_trust = check_trust(Path(folder), paths.locate_home())
    return (
        ("trusted", find_further_changes(folder_trust))
        if folder_trust.trusted
        else ("changed", folder_trust.changed)
    )


def _format_state(state: str, changed: Sequence[str]) -> str:
    from ..rendering.listings.trust_inventory import describe_trust_state

    return describe_trust_state(changed) if state == "trusted" else t(f"trust.state.{state}")
