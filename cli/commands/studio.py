"""`mcode studio`: the user's own threads in LangGraph Studio."""

import sys
from typing import Annotated

import typer

from ..rendering.output import echo


def studio(
    port: Annotated[int, typer.Option(help="Port on this machine.")] = 2024,
) -> None:
    """Open your threads in LangGraph Studio: graphs, state, time travel, answers."""
    from ...config import paths
    from ...sdk.studio.server import STUDIO_PAGE, serve
    from ..i18n.catalogs import t
    from .threads.listing import open_index

    open_index()  # tells of a damaged one
    stdout = sys.stdout

    def ready(address: str, count: int) -> None:
        link = STUDIO_PAGE.format(address=address)
        echo(t("studio.ready", address=address, count=count, link=link), file=stdout)
        stdout.flush()

    serve(paths.home(), port, ready)
