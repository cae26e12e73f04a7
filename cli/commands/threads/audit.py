"""`mcode threads audit`: what was asked, answered and run, and whether the record is whole."""

from typing import Annotated, Literal

import typer

from ....config import exit_codes
from ...i18n.catalogs import t
from ...rendering.output import echo


def audit(
    thread: Annotated[
        str | None,
        typer.Argument(help="Thread ID, ID prefix, or name; default: the folder's latest."),
    ] = None,
    output_format: Annotated[
        Literal["jsonl"], typer.Option("--format", help="One JSON object a line.")
    ] = "jsonl",
    verify: Annotated[
        bool,
        typer.Option("--verify", help="Check the chain of hashes and the journal; print no lines."),
    ] = False,
) -> None:
    """Print who was asked what, the answers, and each call with the rule that let it run.

    With --verify, exit code 1 if a line or a result was changed.
    """
    from ....config import paths
    from ....memory.threads.audit import read_records
    from ...execution.thread_argument import resolve_thread
    from ...rendering.output import echo_json

    home, row = paths.locate_home(), resolve_thread(thread)
    if verify:
        _verify(row.thread_id)
        return
    for record in read_records(home, row.thread_id):
        echo_json(record, indent=None)


def _verify(thread_id: str) -> None:
    from ....config import paths
    from ....memory.threads.audit import verify_audit
    from ...i18n.message_translation import translate

    home = paths.locate_home()
    report = verify_audit(home, thread_id, paths.locate_database(home))
    for problem in report.problems:
        echo(translate(problem))
    if report.problems:
        raise typer.Exit(exit_codes.FAILED)
    echo(t("audit.verified", count=report.count, head=report.head or "-"))
