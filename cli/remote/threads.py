"""`mcode --remote URL threads`, `undo`, `redo`, `rewind`, `diff`: the threads of a server."""

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from ...config.errors import UsageError
from ...config.text import text
from ..commands.undo import Yes
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..prompts.sync_bridge import run_sync
from ..rendering.listings.threads import format_status, format_time, show_rows
from ..rendering.output import echo, echo_json, echo_wrapped
from ..rendering.sanitize import sanitize_line
from .address import get_server

if TYPE_CHECKING:
    from ...memory.threads.record import ThreadRow
    from .agent_server import AgentServer
    from .server import ThreadServer

Json = dict[str, Any]
Answer = TypeVar("Answer")
Thread = Annotated[
    str | None, typer.Argument(help="Thread ID, ID prefix, or name; default: the latest one.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
_MIN_ID_LENGTH = 4

app = typer.Typer(
    help="List, show, rename, fork and undo threads of the server.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


def ask_server(ask: "Callable[[ThreadServer | AgentServer], Awaitable[Answer]]") -> "Answer":
    """Return what the server answers to one request."""
    from .agent_server import open_server

    async def run() -> Answer:
        async with open_server(get_server()) as server:
            return await ask(server)

    return run_sync(run())


def find_thread(name: str | None) -> Json:
    """Return the thread of that ID, prefix or name, or the latest one; raises UsageError."""
    rows = ask_server(lambda server: server.list_threads())
    if name is None:
        if not rows:
            raise UsageError("the server has no threads yet", hint="begin one: `mcode --help`")
        return rows[0]
    matches = [row for row in rows if name and row["name"] == name]
    if not matches and len(name) >= _MIN_ID_LENGTH:
        matches = [row for row in rows if row["thread_id"].startswith(name)]
    if len(matches) != 1:
        message = "several threads fit `{name}`" if matches else "the server has no thread `{name}`"
        raise UsageError(text(message, name=name), hint="`threads list` shows them with their IDs")
    return matches[0]


@app.command("list")
def list_threads(
    search: Annotated[
        str,
        typer.Option(
            "--search",
            metavar="TEXT",
            help="List only threads with all these words in title, name or messages.",
        ),
    ] = "",
    as_json: AsJson = False,
) -> None:
    """List the threads of the server, most recent first."""
    rows = ask_server(lambda server: server.list_threads(search))
    if as_json:
        echo_json(rows)
    elif rows:
        show_rows([_read_row(row) for row in rows], with_folder=True, put_back=set())
    else:
        echo(t("threads.not_found") if search else t("threads.none"), err=True)


@app.command()
def show(
    thread: Thread = None,
    diffs: Annotated[bool, typer.Option("--diffs", help="Show the diff of each edit.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show a thread: status, messages and tool calls."""
    from ...sdk.threads.transcript import TranscriptEntry
    from ..rendering.transcript import show_transcript

    thread_id = find_thread(thread)["thread_id"]
    history = ask_server(lambda server: server.read_thread(thread_id))
    if as_json:
        echo_json({**history["thread"], "transcript": history["entries"]})
        return
    for label, fact in _list_facts(_read_row(history["thread"])):
        if fact:
            echo_wrapped(t("labelled", label=label, said=fact))
    entries = [
        TranscriptEntry(**_select_fields(TranscriptEntry, {"at": "", **entry}))
        for entry in history["entries"]
    ]
    show_transcript(entries, diffs=diffs)


def _list_facts(row: "ThreadRow") -> list[tuple[str, str]]:
    return [
        (t("threads.title"), row.title),
        ("id", row.thread_id),
        (t("threads.name"), row.name),
        (t("threads.folder"), row.folder),
        (t("threads.status"), format_status(row, set())),
        (t("threads.steps"), str(row.steps)),
        (t("threads.created"), format_time(row.created_at)),
        (t("threads.updated"), format_time(row.updated_at)),
    ]


def _read_row(described: Mapping[str, Any]) -> "ThreadRow":
    from ...memory.threads.record import ThreadRow

    return ThreadRow(**_select_fields(ThreadRow, {"request": "", **described}))


def _select_fields(kind: Any, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return those that are known here: a newer server may send more."""
    return {field.name: values[field.name] for field in fields(kind) if field.name in values}


@app.command()
def rename(
    thread: Annotated[str, typer.Argument(help="Thread ID, ID prefix, or name.")],
    name: Annotated[str, typer.Argument(help="New name.")],
) -> None:
    """Rename a thread."""
    thread_id = _post(thread, "name", {"name": name})["thread_id"]
    echo(t("threads.renamed", id=thread_id[:8], name=name.strip()), err=True)


@app.command()
def fork(
    at: Annotated[int, typer.Option("--at", metavar="STEP", help="Step to fork from.")],
    thread: Thread = None,
) -> None:
    """Continue from a step in a new thread. Prints the new thread's ID."""
    row = find_thread(thread)
    forked = _post(row["thread_id"], "fork", {"step": at})["answer"]["thread_id"]
    echo(forked)
    echo(t("fork.done", thread=row["thread_id"][:8], step=at, fork=forked[:8]), err=True)


@app.command()
def undo(thread: Thread = None, yes: Yes = False, as_json: AsJson = False) -> None:
    """Undo the last turn's file changes, on the server."""
    _restore("undo", thread, {}, yes=yes, as_json=as_json)


@app.command()
def redo(thread: Thread = None, yes: Yes = False, as_json: AsJson = False) -> None:
    """Redo the last undo or rewind of files, on the server."""
    _restore("redo", thread, {}, yes=yes, as_json=as_json)


@app.command()
def rewind(
    to: Annotated[int, typer.Option("--to", metavar="STEP", help="Step to go back to.")],
    thread: Thread = None,
    talk: Annotated[bool, typer.Option("--talk", help="Restore only the conversation.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Restore files and conversation to a step, on the server."""
    body = {"step": to, "files": not talk}
    _restore("rewind", thread, body, yes=yes, as_json=as_json)


def _restore(
    kind: Literal["undo", "redo", "rewind"],
    thread: str | None,
    body: Mapping[str, Any],
    *,
    yes: bool,
    as_json: bool,
) -> None:
    from ..execution.restore_files import confirm_restore

    row = find_thread(thread)
    confirm_restore(yes)
    answer = _post(row["thread_id"], kind, body)["answer"]
    if as_json:
        echo_json(answer)
        return
    files = answer.get("files")
    if files is not None:
        key = "redo.done" if kind == "redo" else "restore.done"
        echo(t(key, count=len(files)) if files else t("restore.none"), err=True)
    for conflict in answer["conflicts"]:
        path, reason = sanitize_line(conflict["path"]), sanitize_line(translate(conflict["reason"]))
        echo(t("restore.left", path=path, reason=reason), err=True)
    if kind == "rewind":
        echo(t("rewind.talked", step=body["step"], thread=row["thread_id"][:8]), err=True)


@app.command()
def diff(thread: Thread = None) -> None:
    """Show a thread's changes as a diff."""
    thread_id = find_thread(thread)["thread_id"]
    changes = ask_server(lambda server: server.read_diff(thread_id))
    if changes:
        echo(changes.removesuffix("\n"))
    else:
        echo(t("diff.nothing", thread=thread_id[:8]), err=True)


def _post(thread: str, action: str, body: Mapping[str, Any]) -> Json:
    thread_id = find_thread(thread)["thread_id"]
    answer = ask_server(lambda server: server.change(thread_id, action, body))
    return {"thread_id": thread_id, "answer": answer}
