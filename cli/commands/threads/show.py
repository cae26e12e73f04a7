"""`mcode threads show` and `changes`: a thread's conversation and its files."""

import sys
from collections.abc import Iterator
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ....config import paths
from ...i18n.catalogs import t
from ...i18n.stored_messages import translate_stored
from ...rendering.listings.threads import (
    SHORT_ID,
    find_restored_threads,
    format_status,
    format_time,
    to_mappings,
)
from ...rendering.output import echo, echo_json, echo_wrapped
from ...rendering.table import is_narrow, show_table
from ..undo import Thread
from .listing import AsJson

if TYPE_CHECKING:
    from ....memory.threads.record import ThreadRow
    from ....memory.threads.sub_runs import SubRun
    from ....sdk.threads.children import AttemptSummary, ShownStatus
    from ....sdk.threads.file_changes import ThreadFileChange


def show(
    thread: Annotated[
        str | None,
        typer.Argument(help="Thread ID, ID prefix, or name; default: the folder's latest."),
    ] = None,
    diffs: Annotated[bool, typer.Option("--diffs", help="Show the diff of each edit.")] = False,
    full: Annotated[
        bool,
        typer.Option("--full", help="Show all: outputs, diffs, thoughts, summaries."),
    ] = False,
    events: Annotated[
        bool, typer.Option("--events", help="Print the stored messages, one JSON object per line.")
    ] = False,
    requests: Annotated[
        bool,
        typer.Option("--requests", help="Print the log of requests, one JSON object per line."),
    ] = False,
    sub: Annotated[
        str, typer.Option("--sub", metavar="ID", help="Show this sub-agent, such as `explore-1`.")
    ] = "",
    as_json: AsJson = False,
) -> None:
    """Show a thread: status, messages, tool calls, and how to continue."""
    from ...execution.thread_argument import resolve_thread

    row = resolve_thread(thread)
    if sub:
        _show_child(row, sub, diffs=diffs, full=full, events=events, as_json=as_json)
    elif events:
        _print_writes(row)
    elif requests:
        _print_log(row)
    else:
        _show_thread(row, diffs=diffs, full=full, as_json=as_json)


def _show_thread(row: "ThreadRow", *, diffs: bool, full: bool, as_json: bool) -> None:
    from ....sdk.threads.children import list_attempts
    from ....sdk.threads.transcript import read_transcript
    from ...rendering.transcript import show_transcript

    home = paths.locate_home()
    transcript, attempts = read_transcript(row, home), list_attempts(row, home)
    if as_json:
        attempts_field = {"attempts": [asdict(attempt) for attempt in attempts]} if attempts else {}
        entries = [asdict(entry) for entry in transcript]
        echo_json({**to_mappings([row], None)[0], **attempts_field, "transcript": entries})
        return
    for label, text in [*_list_facts(row), *map(_describe_attempt, attempts)]:
        if text:
            echo_wrapped(t("labelled", label=label, said=text))
    if full:
        _print_all(row, home)
    else:
        show_transcript(transcript, diffs=diffs)


def _print_all(row: "ThreadRow", home: Path) -> None:
    """Show everything of a thread, in the pager at a terminal."""
    from ...prompts.pager import page_lines
    from ...rendering.blocks.thread_text import read_thread_lines
    from ...rendering.console import can_redraw, open_console

    lines = read_thread_lines(row, home)
    if sys.stdin.isatty() and can_redraw(open_console(stderr=False)):
        page_lines(lines)
        return
    for line, _ in lines:
        echo(line)


def _print_writes(row: "ThreadRow", namespace: str = "") -> None:
    from ....sdk.threads.transcript import read_stored_writes

    for write in read_stored_writes(row, paths.locate_home(), namespace):
        echo_json(asdict(write), indent=None)


def _print_log(row: "ThreadRow") -> None:
    from ....sdk.threads.trace import read_log

    for line in read_log(row, paths.locate_home()):
        if line.get("type") != "event":
            echo_json(line, indent=None)


def _show_child(
    row: "ThreadRow", sub_id: str, *, diffs: bool, full: bool, events: bool, as_json: bool
) -> None:
    """Show the whole conversation of a sub-agent."""
    from ....sdk.threads.children import find_child, read_child_status
    from ....sdk.threads.transcript import read_child_transcript
    from ...rendering.transcript import show_transcript

    home = paths.locate_home()
    child = find_child(row, home, sub_id)
    if events:
        _print_writes(row, child.namespace)
        return
    transcript = read_child_transcript(row, home, child)
    status = read_child_status(child, row, home)
    if as_json:
        entries = [asdict(entry) for entry in transcript]
        echo_json({**asdict(child), "status": status, "transcript": entries})
        return
    for label, text in _list_child_facts(child, status):
        if text:
            echo_wrapped(t("labelled", label=label, said=text))
    show_transcript(transcript, diffs=diffs, full=full)


def _list_child_facts(child: "SubRun", status: "ShownStatus") -> Iterator[tuple[str, str]]:
    """Yield label and text of each fact about a sub-agent; empty texts are not shown."""
    from ....sdk.threads.children import measure_seconds
    from ...rendering.subagents.child_line import format_usage

    yield t("threads.title"), child.title
    yield "id", child.sub_id
    yield t("child.agent"), child.agent
    yield t("threads.status"), t(f"child.status.{status}")
    yield t("threads.created"), format_time(child.started_at)
    yield (
        t("child.used"),
        ", ".join(format_usage(asdict(child) | {"seconds": measure_seconds(child)})),
    )
    yield t("threads.folder"), child.worktree


def _list_facts(row: "ThreadRow") -> Iterator[tuple[str, str]]:
    """Yield label and text of each fact about a thread; empty texts are not shown."""
    yield t("threads.title"), row.title
    yield "id", row.thread_id
    yield t("threads.name"), row.name
    yield t("threads.folder"), row.folder
    status = replace(row, holder="")  # which has a line of its own
    yield t("threads.status"), format_status(status, find_restored_threads([row]))
    yield t("threads.holder"), _format_holder(row)
    yield t("threads.forked"), _format_parent(row)
    yield t("threads.steps"), str(row.steps)
    yield t("threads.created"), format_time(row.created_at)
    yield t("threads.updated"), format_time(row.updated_at)
    if row.evidence:
        verdict = t(f"verdict.{row.evidence['verdict']}")
        proof = t("threads.proof", verdict=verdict, reason=translate_stored(row.evidence["reason"]))
        command = row.evidence["command"]
        detail = t("labelled", label=command, said=proof) if command else proof
        yield t("threads.evidence"), detail
        yield t("threads.reason"), translate_stored(row.evidence.get("outcome_reason", ""))
    yield t("threads.resume"), _suggest_command(row)


def _describe_attempt(attempt: "AttemptSummary") -> tuple[str, str]:
    """Return label and text of an attempt at the task."""
    facts = [attempt.thread_id[:SHORT_ID], t(f"threads.status.{attempt.status}"), attempt.model]
    if attempt.reason:
        key = "attempt.kept" if attempt.kept else "attempt.not_kept"
        facts.append(t(key, reason=translate_stored(attempt.reason)))
    return t("attempt.name", number=attempt.number), ", ".join(filter(None, facts))


def _suggest_command(row: "ThreadRow") -> str:
    command = f"mcode resume {row.thread_id[:SHORT_ID]}"
    match row.status:
        case "waiting" if row.questions > 1:
            return f"{command} --question ID [--approve | --reject WHY | --answer TEXT]"
        case "waiting" if question := _find_pull_request_question(row):
            return f"{command} --question {question[:SHORT_ID]} [--approve | --reject WHY]"
        case "waiting":
            return f"{command} [--approve | --reject WHY | --answer TEXT]"
        case "idle":
            return f'mcode chat --resume {row.thread_id[:SHORT_ID]} ["…"]'
        case "limit" | "interrupted" | "queued" | "failed" | "unknown":
            return command
        case _:
            return ""


def _find_pull_request_question(row: "ThreadRow") -> str:
    """Return the ID of the question that waits; empty if there is none."""
    from ....memory.threads.pull_requests import PullRequestRecords
    from ....sdk.pull_requests.proposal import build_open_question

    records = PullRequestRecords(paths.locate_database(paths.locate_home()))
    record = records.find(row.thread_id)
    return build_open_question(record).id if record and record.state == "asked" else ""


def _format_parent(row: "ThreadRow") -> str:

    forked = t("tree.forked", step=row.parent_step)
    return f"{row.parent[:SHORT_ID]} {forked}" if row.parent else ""


def _format_holder(row: "ThreadRow") -> str:
    from ....memory.threads.lease import find_holder

    holder = find_holder(paths.locate_home(), row.thread_id) if row.status == "running" else None
    return f"{holder.pid} ({holder.command}), {holder.host}, {holder.clock}" if holder else ""


def changes(
    thread: Thread = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """List each file change of a thread, and who made it."""
    from ....sdk.threads.file_changes import read_file_changes
    from ...execution.thread_argument import resolve_thread

    row = resolve_thread(thread)
    file_changes = read_file_changes(row, paths.locate_home())
    if as_json:
        mappings = [asdict(change) for change in file_changes]
        echo_json(mappings)
    elif file_changes:
        _print_changes(file_changes)
    else:
        echo(t("changes.nothing", thread=row.thread_id[:SHORT_ID]), err=True)


def _print_changes(file_changes: "list[ThreadFileChange]") -> None:
    by, path = t("changes.by"), t("steps.files")
    headers = [t("steps.at"), t("steps.step"), by, t("changes.kind"), path]
    rows = [
        [
            format_time(change.at),
            "" if change.step is None else str(change.step),
            _format_author(change),
            t(f"changes.{change.kind}"),
            change.path,
        ]
        for change in file_changes
    ]
    first = 2 if is_narrow() else 0
    show_table(headers[first:], [row[first:] for row in rows], cut=(by, path))


def _format_author(change: "ThreadFileChange") -> str:
    author = change.tool or t(f"changes.by.{change.by}")
    return (
        author if change.in_effect or change.by == "others" else f"{author} ({t('changes.undone')})"
    )
