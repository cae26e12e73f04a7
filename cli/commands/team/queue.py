"""`mcode queue`: the threads that wait for a worker, and many tasks from a file."""

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ....config import exit_codes, paths
from ....config.errors import UsageError
from ....config.text import text
from ...i18n.catalogs import t
from ...options import Folder, Mode, Model, OutputFormat
from ...rendering.listings.threads import SHORT_ID, open_index
from ...rendering.output import echo, echo_json
from ...rendering.table import show_table

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from ....memory.threads.record import ThreadRow
    from ....nodes.options import Options
    from ....sdk.workers.queue import QueuedRun, ThreadQueue
    from ....sdk.workers.submission import QueuedTask

app = typer.Typer(
    help="The queue of threads that `mcode worker` runs.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
Workspace = Annotated[
    str,
    typer.Option(
        "--workspace",
        metavar="URL#REF",
        help="With --queue: repository that the worker clones, at a branch, tag or commit.",
    ),
]
# Runs on a screen, if no other number is asked for
LISTED = 100
_STATE_KEYS = {
    "queued": "queue.queued",
    "delayed": "queue.delayed",
    "running": "queue.running",
    "ended": "queue.ended",
    "failed": "queue.failed",
    "cancelled": "queue.off",
}
# Every other status is no end: of a thread that was cancelled, interrupted, or held elsewhere
_EXIT_CODES = {
    **dict.fromkeys(("done", "unverified", "undone", "idle"), exit_codes.DONE),
    "waiting": exit_codes.NEEDS_ANSWER,
    "limit": exit_codes.LIMIT_REACHED,
}
_WORST_FIRST = (
    exit_codes.FAILED,
    exit_codes.NEEDS_ANSWER,
    exit_codes.LIMIT_REACHED,
)
# Of `task` and `resume`: the queue's other commands are in this module
IntoQueue = Annotated[
    bool, typer.Option("--queue", help="Leave it to a worker: see `mcode worker`.")
]


@app.command("list")
def list_all(
    every: Annotated[bool, typer.Option("--all", help="Also what has ended.")] = False,
    limit: Annotated[
        int | None,
        typer.Option("--limit", min=0, help="Runs to list; 0: all; default: 100, with --json all."),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List the runs that wait for a worker, or that one has; with --all the newest first."""
    from dataclasses import asdict

    from ....sdk.workers.queue import OPEN_STATES

    queue = open_queue()
    maximum = (None if as_json else LISTED) if limit is None else limit or None
    runs = queue.list_runs(
        only_open=not every,
        with_results=as_json,
        limit=maximum and maximum + 1,
        newest_first=every and not as_json,
    )
    has_more = bool(maximum) and len(runs) > maximum
    runs = runs[:maximum]
    if as_json:
        threads = _read_threads([run for run in runs if run.state in OPEN_STATES])
        holders = {thread_id: row.holder for thread_id, row in threads.items()}
        echo_json([{**asdict(run), "holder": holders.get(run.thread_id, "")} for run in runs])
        return
    if not runs:
        echo(t("queue.empty"), err=True)
        return
    _show_runs(runs)
    if has_more:
        echo(t("queue.more"), err=True)


def _read_threads(runs: "Sequence[QueuedRun]") -> "dict[str, ThreadRow]":
    rows = open_index().list(ids={run.thread_id for run in runs})
    return {row.thread_id: row for row in rows}


def _show_runs(runs: "Sequence[QueuedRun]") -> None:
    """Print runs as a table; the worker of one that waits is who holds its thread meanwhile."""
    from ...rendering.humanize import format_age

    threads = _read_threads(runs)
    titles = {thread_id: row.name or row.title for thread_id, row in threads.items()}
    holders = {thread_id: row.holder for thread_id, row in threads.items()}
    names = ("queue.thread", "queue.state", "queue.worker", "queue.since", "queue.title")
    rows = [
        (
            run.thread_id[:SHORT_ID],
            t(_STATE_KEYS[run.state]),
            run.worker if run.state == "running" else holders.get(run.thread_id, ""),
            format_age(run.since),
            titles.get(run.thread_id, ""),
        )
        for run in runs
    ]
    show_table([t(name) for name in names], rows, cut=[t("queue.title")])


@app.command()
def cancel(
    thread: Annotated[str, typer.Argument(help="Thread ID, ID prefix, or name.")],
) -> None:
    """Take a thread out of the queue; a run that has begun ends after its step."""
    index = open_index()
    row = index.find(thread, Path.cwd())
    runs = open_queue().cancel(row.thread_id)
    if row.status == "queued":
        index.set_status(row.thread_id, "waiting" if row.questions else "interrupted")
    key = "queue.cancelled" if runs else "queue.absent"
    echo(t(key, thread=row.thread_id[:SHORT_ID]), err=True)
    raise typer.Exit(exit_codes.DONE if runs else exit_codes.FAILED)


@app.command()
def batch(
    file: Annotated[
        Path,
        typer.Argument(
            help="JSON lines with `task`, and `id`, `folder`, `workspace`; - reads stdin."
        ),
    ],
    name: Annotated[
        str, typer.Option("--name", help="Name of the batch; default: the file's path.")
    ] = "",
    folder: Folder = Path("."),
    workspace: Workspace = "",
    model: Model = "",
    mode: Annotated[
        Mode | None, typer.Option(help="Approval mode; default: edits.", show_default=False)
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", "-a", help="Keep the results without asking.")
    ] = False,
    wait: Annotated[bool, typer.Option(help="Wait for the results.")] = True,
) -> None:
    """Queue a task for each line of a file, and print a line with each result.

    Again with the same file it goes on: tasks that have ended are not repeated, their results are
    printed again. Exit code 0 if all have ended, 1 if one has failed, was cancelled or interrupted,
    4 if one waits for an answer, 3 if one has reached a limit. A wrong line queues nothing.
    """
    from ....nodes.options import Options
    from ....sdk.workers.submission import QueuedTask, submit_tasks

    chosen = {"model": model, "mode": mode.value if mode else "", "apply": apply}
    options = cast(Options, {key: value for key, value in chosen.items() if value})
    default = QueuedTask("", folder, options, workspace)
    tasks = read_file(file, name, default)
    queue = open_queue()
    submit_tasks(paths.locate_home(), queue, tasks)
    echo(t("queue.batch", count=len(tasks)), err=True)
    if wait:
        raise typer.Exit(asyncio.run(_print_results(queue, tasks)))


def read_file(file: Path, name: str, default: "QueuedTask") -> "list[QueuedTask]":
    """Return the tasks of a file of JSON lines; raises UsageError."""
    from ....sdk.workers.submission import read_tasks

    is_stdin = str(file) == "-"
    if is_stdin and not name:
        raise UsageError("a batch from stdin needs a name", hint="give it with `--name`")
    try:
        content = (sys.stdin.buffer.read() if is_stdin else file.read_bytes()).decode("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(
            text("cannot read `{file}`: {reason}", file=file, reason=error),
            hint="name a file of JSON lines in UTF-8",
        ) from error
    # not `splitlines`, which would also cut JSON at U+2028
    return read_tasks(content.split("\n"), name or str(file.resolve()), default)


async def _print_results(queue: "ThreadQueue", tasks: "Sequence[QueuedTask]") -> int:
    from ....sdk.workers.submission import follow_tasks

    statuses = set[str]()
    async for result in follow_tasks(queue, tasks):
        echo_json(dict(result), indent=None)
        statuses.add(result["status"])
    return to_batch_code(statuses)


def to_batch_code(statuses: "Collection[str]") -> int:
    """Return the exit code of a batch whose tasks have ended with these statuses."""
    codes = {_EXIT_CODES.get(status, exit_codes.FAILED) for status in statuses}
    return next((code for code in _WORST_FIRST if code in codes), exit_codes.DONE)


def open_queue() -> "ThreadQueue":
    """Open the queue of the home."""
    from ....sdk.workers.queue import ThreadQueue

    return ThreadQueue(paths.locate_home())


def queue_task(
    description: str, folder: Path, options: "Options", workspace: str, output: OutputFormat
) -> None:
    """Record a task, leave it to a worker, and say so."""
    from ....sdk.workers.submission import QueuedTask, submit_task

    task = QueuedTask(description, folder, options, workspace)
    show_queued(submit_task(paths.locate_home(), open_queue(), task).thread_id, output)


def show_queued(thread_id: str, output: OutputFormat) -> None:
    """Say that a thread waits for a worker."""
    if output is not OutputFormat.text:
        echo_json({"thread_id": thread_id, "state": "queued"}, indent=None)
    else:
        echo(t("queue.added", thread=thread_id[:SHORT_ID]))
