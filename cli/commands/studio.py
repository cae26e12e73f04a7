"""`mcode studio`: the user's threads in LangGraph Studio."""

import sys
from typing import Annotated

import typer

from ...config import paths
from ..i18n.catalogs import t
from ..options import Mode
from ..rendering.output import echo


def studio(
    port: Annotated[int, typer.Option(help="Local port.")] = 2024,
    mode: Annotated[
        Mode | None,
        typer.Option(
            help="Most permissive approval mode a run may use; default: the configured mode, "
            "else edits.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Open your threads in LangGraph Studio: graphs, state, time travel, answers."""
    from ...sdk.studio.server import serve
    from ..rendering.listings.threads import open_index

    open_index()  # reports a damaged index
    stdout = sys.stdout

    def print_address(address: str, link: str, count: int) -> None:
        echo(t("studio.ready", address=address, count=count, link=link), file=stdout)
        stdout.flush()

    serve(paths.locate_home(), port, mode.value if mode else "", print_address)
