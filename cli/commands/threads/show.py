"""`mcode threads show`: how a thread stands, and what was said and done in it, to be read."""

from collections.abc import Iterator
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from ...i18n.message_translation import told
from ...rendering.output import echo_json, say
from .listing import SHORT_ID, AsJson, files_put_back, mappings, status_of, when

if TYPE_CHECKING:
    from ....memory.threads.record import ThreadRow


def show(
    thread: Annotated[
        str | None,
        typer.Argument(help="Thread ID, ID prefix, or name; default: the folder's latest."),
    ] = None,
    diffs: Annotated[bool, typer.Option("--diffs", help="Show the diff of each edit.")] = False,
    events: Annotated[
        bool, typer.Option("--events", help="Print the stored messages, one JSON object per line.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Show a thread: status, messages, tool calls, and how to continue."""
    from ....config import paths
    from ....sdk.threads.transcript import raw, transcript
    from ...execution.thread_argument import which_thread
    from ...i18n.catalogs import t
    from ...rendering.transcript import show_transcript

    row = which_thread(thread)
    if events:
        for one in raw(row, paths.home()):
            echo_json(asdict(one), indent=None)
        return
    told = transcript(row, paths.home())
    if as_json:
        echo_json({**mappings([row], None)[0], "transcript": [asdict(one) for one in told]})
        return
    for label, text in _facts(row):
        if text:
            say(t("labelled", label=label, said=text))
    show_transcript(told, diffs=diffs)


def _facts(row: "ThreadRow") -> Iterator[tuple[str, str]]:
    """What is said of a thread, by label; empty texts are not shown."""
    from ...i18n.catalogs import t

    yield t("threads.title"), row.title
    yield "id", row.thread_id
    yield t("threads.name"), row.name
    yield t("threads.folder"), row.folder
    yield t("threads.status"), status_of(row, files_put_back())
    yield t("threads.holder"), _holder(row)
    yield t("threads.forked"), _parent(row)
    yield t("threads.steps"), str(row.steps)
    yield t("threads.created"), when(row.created_at)
    yield t("threads.updated"), when(row.updated_at)
    if row.evidence:
        verdict = t(f"verdict.{row.evidence['verdict']}")
        proof = t("threads.proof", verdict=verdict, reason=told(row.evidence["reason"]))
        command = row.evidence["command"]
        said = t("labelled", label=command, said=proof) if command else proof
        yield t("threads.evidence"), said
    yield t("threads.resume"), _way_on(row)


def _way_on(row: "ThreadRow") -> str:
    command = f"mcode resume {row.thread_id[:SHORT_ID]}"
    match row.status:
        case "waiting":
            return f"{command} [--approve | --reject WHY | --answer TEXT]"
        case "idle":
            return f'mcode chat --resume {row.thread_id[:SHORT_ID]} ["…"]'
        case "limit" | "interrupted" | "failed" | "unknown":
            return command
        case _:
            return ""


def _parent(row: "ThreadRow") -> str:
    from ...i18n.catalogs import t

    forked = t("tree.forked", step=row.parent_step)
    return f"{row.parent[:SHORT_ID]} {forked}" if row.parent else ""


def _holder(row: "ThreadRow") -> str:
    from ....config import paths
    from ....memory.threads.lease import holder

    found = holder(paths.home(), row.thread_id) if row.status == "running" else None
    return f"{found.pid} ({found.command}), {found.host}, {found.clock}" if found else ""
