"""Trust in the folder of a run: by `--trust`, by an earlier decision, or by asking the user."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ...config import paths
from ...config.trust.decision import (
    Trust,
    check_trust,
    grant_if_empty,
    grant_trust,
    with_referenced_files,
)
from ..i18n.catalogs import t
from ..i18n.message_translation import translate_notice
from ..options import OutputFormat
from ..rendering.output import echo
from ..rendering.sanitize import sanitize_line

if TYPE_CHECKING:
    from rich.console import Console

TrustFlag = Annotated[
    bool,
    typer.Option("--trust", help="Trust the folder with its current files, also in later runs."),
]


def settle_trust(folder: Path, *, yes: bool, output: OutputFormat, tests: bool) -> bool:
    """Record a yes, given or asked for; without a yes the folder stays untrusted.

    `tests`: whether the run would run the project's tests. The user may also quit. Return whether
    a user has just decided, who knows the state.
    """
    home = paths.locate_home()
    if yes:
        grant_trust(with_referenced_files(check_trust(folder, home)), home)
        return False
    grant_if_empty(folder, home)
    trust = check_trust(folder, home)
    if trust.trusted or not (trust.is_needed or tests):
        return False
    if output is OutputFormat.text and sys.stdin.isatty() and sys.stderr.isatty():
        return _ask_trust(trust, home, tests=tests)
    if output is not OutputFormat.text:  # in text output the run reports it
        _print_notices(trust, tests=tests)
    return False


def settle_here(*, yes: bool) -> None:
    """Record a yes for the current folder without starting a run, or report what is ignored."""
    if yes:
        grant_trust(
            with_referenced_files(check_trust(Path.cwd(), paths.locate_home())), paths.locate_home()
        )
    else:
        warn_untrusted(Path.cwd())


def warn_untrusted(folder: Path) -> None:
    """Warn on stderr if the project's configuration is not loaded."""
    from ...config.settings.loader import has_ignored_config  # imports the schema

    if has_ignored_config(folder, paths.locate_home()):
        echo(t("trust.left_out"), err=True)


def show_inventory(
    trust: Trust, *, tests: bool, margin: str = "", console: "Console | None" = None
) -> None:
    """Print on stderr the project files of the folder."""
    from ..rendering.console import open_console, show_line, show_sentence  # imports rich
    from ..rendering.listings.trust_inventory import format_inventory

    header = "trust.folder.partly" if trust.trusted else "trust.folder"
    console = console or open_console()
    show_line(console, margin + t(header, folder=sanitize_line(trust.folder)), "")
    for line in format_inventory(trust, tests=tests):  # what reaches far is marked with a `!`
        show_sentence(console, margin + line, "yellow" if line.lstrip().startswith("! ") else "")


def _ask_trust(trust: Trust, home: Path, *, tests: bool) -> bool:
    """Ask, and leave one row of what was decided; return whether a user could answer."""
    from ..rendering.console import MARGIN, show_heading
    from .choice import ask_choice
    from .choice_keys import Choice
    from .typing_state import TYPING

    trust = with_referenced_files(trust)
    if trust.unreadable or trust.damaged:
        show_inventory(trust, tests=tests)
        return False  # nobody can answer; the run reports that it continues untrusted

    def show(console: "Console") -> None:
        show_heading(console, t("trust.heading"))
        show_inventory(trust, tests=tests, margin=MARGIN, console=console)

    choices = [
        Choice("yes", t("key.trust.yes"), needs_enter=True),
        Choice("no", t("key.trust.no")),
    ]
    try:
        reply = ask_choice(t("trust.ask"), choices, "exit", show)
    except typer.Exit:
        echo(t("trust.stays", folder=sanitize_line(trust.folder)), err=True)
        raise
    TYPING.draft = reply.text or TYPING.draft  # a conversation continues with it
    if reply.word == "yes":
        grant_trust(trust, home)
    _show_decision(trust, is_yes=reply.word == "yes")
    return True


def _show_decision(trust: Trust, *, is_yes: bool) -> None:
    """Show which files are used or ignored from now on."""
    from ..rendering.console import open_console, show_decision

    files = {sanitize_line(item.path) for item in trust.inventory}
    files_text = t("trust.decided.files", count=len(files)) if len(files) != 1 else files.pop()
    key = "trust.decided.yes" if is_yes else "trust.decided.no"
    show_decision(open_console(), t(key, files=files_text))


def _print_notices(trust: Trust, *, tests: bool) -> None:
    from ...sdk.startup_notices import collect_trust_notices

    for line in collect_trust_notices(trust, tests=tests):
        echo(translate_notice(line), err=True)
