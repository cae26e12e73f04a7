"""`mcode db`: where threads are kept, its tables, and the move to another database."""

from typing import Annotated

import typer

from ....config import paths
from ....config.errors import UsageError
from ....config.remote_url import has_password
from ...i18n.catalogs import t
from ...rendering.output import echo, echo_json

app = typer.Typer(
    help="The database of threads: a file, or PostgreSQL.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Place = typer.Argument(help="`postgres://…`, or the path of a `threads.db`.")


@app.command()
def status(
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show where threads are kept, and how many."""
    from dataclasses import asdict

    from ....memory.database.copy import describe_place, read_facts
    from ...rendering.humanize import format_size

    address = _find_place()
    facts = read_facts(address)
    if as_json:
        echo_json({"database": describe_place(address), **asdict(facts)})
        return
    echo(t("db.place", place=describe_place(address)))
    echo(t("db.version", version=facts.version))
    echo(t("db.threads", count=facts.threads, size=format_size(facts.bytes)))


@app.command()
def migrate() -> None:
    """Create or migrate the tables; a run does it, too, if its user may."""
    from ....memory.database.connection import prepare_database
    from ....memory.database.copy import describe_place, read_facts

    prepare_database(paths.locate_database(paths.locate_home()))
    address = _find_place()
    version = read_facts(address).version
    echo(t("db.migrated", place=describe_place(address), version=version))


@app.command("copy")
def copy_threads(
    source: Annotated[str, Place],
    target: Annotated[str, Place],
) -> None:
    """Copy all threads into another, empty database.

    No thread should run meanwhile. Then set `database` to use it; the source stays as it is.
    """
    from ....memory.database.copy import copy_database, describe_place

    if has_password(source) or has_password(target):
        raise UsageError(
            "a database's address on the command line has a password in it, which others can see",
            hint="leave it out: PostgreSQL's driver reads it from `~/.pgpass` or `PGPASSWORD`",
        )
    counts = copy_database(source, target)
    echo(
        t(
            "db.copied",
            place=describe_place(target),
            count=counts["threads"],
            rows=sum(counts.values()),
        )
    )


def _find_place() -> str:
    from ....memory.database.connection import find_server

    file = paths.locate_database(paths.locate_home())
    return find_server(file) or str(file)
