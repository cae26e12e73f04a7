"""`mcode worker`: run the threads of the queue, on this machine."""

import asyncio
import os
import signal
import threading
from typing import TYPE_CHECKING, Annotated

import typer

from ....config import paths
from ....config.crash_report import describe_error
from ....config.errors import MaxAgentError
from ...execution.stop_signal import MAX_EXIT_SECONDS
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...rendering.listings.threads import SHORT_ID
from ...rendering.output import echo, echo_json

if TYPE_CHECKING:
    from ....sdk.workers.worker import Worker, WorkerEvent

AsJson = Annotated[bool, typer.Option("--json", help="Print a JSON line for each run.")]


def worker(
    parallel: Annotated[
        int,
        typer.Option(
            "--parallel",
            metavar="N",
            min=1,
            max=64,
            help="Threads at a time; holds for all workers of the queue.",
        ),
    ] = 1,
    until_empty: Annotated[
        bool, typer.Option("--until-empty", help="End when the queue is empty.")
    ] = False,
    trust: Annotated[
        bool, typer.Option("--trust", help="Trust the clones that it makes, so that tests run.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Run the threads of the queue, each until it ends or asks.

    Start as many as you like, on every machine that has the same database. Ctrl-C or SIGTERM ends
    it after the current steps; other workers go on with its threads, also if it dies.
    """
    from ....sdk.workers.worker import Worker

    home = paths.locate_home()
    show = _print_line if as_json else _print_text
    asyncio.run(
        _run(
            Worker(home, parallel=parallel, trusts_clones=trust, show=show),
            until_empty=until_empty,
        )
    )


async def _run(worker: "Worker", *, until_empty: bool) -> None:
    loop = asyncio.get_running_loop()

    def drain(number: signal.Signals) -> None:
        echo(t("worker.draining"), err=True)
        worker.drain()
        loop.remove_signal_handler(number)  # the next one ends it at once

    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, drain, number)
    echo(t("worker.waits"), err=True)
    try:
        await worker.run(until_empty=until_empty)
    except MaxAgentError as error:
        from ...rendering.console import print_error  # imports rich

        description = describe_error(error, worker.home)
        print_error(translate(description.message), translate(description.hint))
        # the queue's library may wait for its database without end
        timer = threading.Timer(MAX_EXIT_SECONDS, os._exit, [description.exit_code])
        timer.daemon = True
        timer.start()
        raise typer.Exit(description.exit_code) from error


def _print_line(event: "WorkerEvent") -> None:
    fields = {"type": event.kind, "thread_id": event.job.thread_id, "run": event.job.run}
    echo_json({**fields, **event.result, "type": event.kind}, indent=None)


def _print_text(event: "WorkerEvent") -> None:
    thread = event.job.thread_id[:SHORT_ID]
    if event.kind == "claimed":
        echo(t("worker.claimed", thread=thread))
        return
    echo(t("worker.ended", thread=thread, status=str(event.result.get("status", ""))))
    if error := event.result.get("error"):
        echo(f"  {error}")
