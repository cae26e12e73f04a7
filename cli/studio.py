"""`mcode studio`: the user's own threads in LangGraph Studio."""

from typing import Annotated

import typer


def studio(
    port: Annotated[int, typer.Option(help="Port on this machine.")] = 2024,
) -> None:
    """Open your threads in LangGraph Studio: graphs, state, time travel, answers."""
    from ..config import paths
    from ..memory.threads import ThreadIndex
    from ..sdk.studio import address_of, register_threads, start_server
    from .i18n import t

    home = paths.home()
    with start_server(home, port) as server:
        try:
            lines = iter(server.stdout or ())
            address = address_of(lines)
            ids = [row.thread_id for row in ThreadIndex(home).list()]
            typer.echo(t("studio.ready", address=address, count=register_threads(address, ids)))
            for line in lines:
                typer.echo(line, err=True, nl=False)
        finally:
            server.terminate()
