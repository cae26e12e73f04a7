"""Before a run: whether its folder is trusted, by `--trust`, by record, or by asking the human."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from ...config import paths
from ...config.trust.decision import Trust, accept, looked_further, trust_if_empty, trust_of
from ..enums import OutputFormat
from ..i18n.catalogs import t
from ..i18n.message_translation import told_notice
from ..rendering.output import echo
from ..rendering.sanitize import safe_line
from .choice import INTERRUPTED, choice

TrustFlag = Annotated[
    bool, typer.Option("--trust", help="Trust the folder with its current files; remembered.")
]


def settle_trust(folder: Path, *, yes: bool, output: OutputFormat, tests: bool) -> None:
    """Put a yes on record, given or asked for; what is no yes leaves the folder untrusted.

    `tests`: whether the run would run the project's tests. A human may also quit.
    """
    home = paths.home()
    if yes:
        accept(looked_further(trust_of(folder, home)), home)
        return
    trust_if_empty(folder, home)
    found = trust_of(folder, home)
    if found.trusted or not (found.brought or tests):
        return
    if output is OutputFormat.text and sys.stdin.isatty() and sys.stderr.isatty():
        _ask(found, home, tests=tests)
    elif output is not OutputFormat.text:  # as text the run says it itself
        _tell(found, tests=tests)


def settle_here(*, yes: bool) -> None:
    """For what begins no run in the current folder: a yes on record, or a word on what it lacks."""
    if yes:
        accept(looked_further(trust_of(Path.cwd(), paths.home())), paths.home())
    else:
        tell_left_out(Path.cwd())


def tell_left_out(folder: Path) -> None:
    """Say on stderr that the project's configuration is not loaded, where that is so."""
    from ...config.settings.loader import (
        leaves_out,
    )  # brings the schema, which light commands do without

    if leaves_out(folder, paths.home()):
        echo(t("trust.left_out"), err=True)


def show(trust: Trust, *, tests: bool) -> None:
    """Say on stderr what the folder brings."""
    from ..rendering.trust_inventory import view

    header = "trust.folder.partly" if trust.trusted else "trust.folder"
    echo(t(header, folder=safe_line(trust.folder)), err=True)
    for line in view(trust, tests=tests):
        echo(line, err=True)


def _ask(found: Trust, home: Path, *, tests: bool) -> None:
    found = looked_further(found)
    show(found, tests=tests)
    if found.odd or found.damaged:
        return  # nobody can say yes; the run says that it goes on without
    keys = {word: t(f"key.trust.{word}") for word in ("yes", "no", "quit")}
    try:
        said = choice(t("trust.ask"), keys)
    except typer.Exit:
        echo(t("trust.stays", folder=safe_line(found.folder)), err=True)
        raise
    if said == "yes":
        accept(found, home)
    elif said == "quit":
        raise typer.Exit(INTERRUPTED)


def _tell(found: Trust, *, tests: bool) -> None:
    from ...sdk.startup_notices import untrusted

    for line in untrusted(found, tests=tests):
        echo(told_notice(line), err=True)
