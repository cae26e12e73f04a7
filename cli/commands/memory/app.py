"""`mcode memory` with all its commands; `export`, `import` and `purge`."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ....config import exit_codes, paths
from ....config.errors import NotInteractiveError
from ...i18n.catalogs import t
from ...rendering.output import echo, echo_json
from . import editing, inbox, listing
from .editing import run_on_library
from .listing import AsJson, read_all_cards

if TYPE_CHECKING:
    from ....memory.cards.archive import ImportResult
    from ....memory.cards.library import CardLibrary


STDOUT = Path("-")


def export(
    file: Annotated[
        Path, typer.Argument(help="Output file, or `-` for stdout; default: stdout.")
    ] = STDOUT,
    as_json: AsJson = False,
) -> None:
    """Export your cards and those of this project as JSON. Existing files are not overwritten."""
    from ....memory.cards.archive import build_archive, write_archive

    cards = read_all_cards()
    if file == STDOUT:
        echo_json(build_archive(cards))
        return
    write_archive(file, cards)
    if as_json:
        echo_json({"file": str(file), "cards": len(cards)})
    else:
        echo(file)
        echo(t("memory.exported", count=len(cards)), err=True)


def import_cards(
    file: Annotated[Path, typer.Argument(help="A file written by `mcode memory export`.")],
    as_json: AsJson = False,
) -> None:
    """Import cards into your memory and that of this project.

    Cards that say the same as others are merged. Secrets are not imported.
    """
    from ....memory.cards.archive import read_archive

    cards = read_archive(file)

    async def add_cards(library: "CardLibrary") -> "ImportResult":
        from ....memory.cards.archive import import_archive

        return await import_archive(library, cards)

    result = run_on_library(add_cards)
    if as_json:
        echo_json({"added": result.added, "known": result.known, "refused": list(result.refused)})
        return
    echo(t("memory.imported", added=result.added, known=result.known), err=True)
    for reason in result.refused:
        echo(t("memory.refused", reason=reason), err=True)


def purge(
    everything: Annotated[
        bool, typer.Option("--all", help="Also delete your own cards, and those of all projects.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask for confirmation.")] = False,
    as_json: AsJson = False,
) -> None:
    """Delete the cards and notes of this project permanently."""
    from ....memory.cards.listing import purge_cards
    from ....memory.cards.namespaces import identify_project

    if not yes and not _confirm_purge(everything):
        raise typer.Exit(exit_codes.FAILED)
    project = "" if everything else identify_project(Path.cwd())
    count = purge_cards(paths.locate_home(), project)
    if as_json:
        echo_json({"deleted": count})
    else:
        echo(t("memory.purged", count=count), err=True)


def _confirm_purge(everything: bool) -> bool:
    from ...prompts.choice import confirm

    if not sys.stdin.isatty():
        raise NotInteractiveError(hint="add `--yes` to delete without asking")
    return confirm(t("memory.purge.all") if everything else t("memory.purge"))


app = listing.app
for command in (editing.add, editing.edit, editing.forget, editing.link):
    app.command()(command)
app.add_typer(inbox.app, name="inbox")
app.command()(export)
app.command("import")(import_cards)
app.command()(purge)
