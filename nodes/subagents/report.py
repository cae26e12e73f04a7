"""The report of a child: shortened for its parent, complete in a file."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.runtime import Runtime

from ...config.security.private_files import make_private_folder
from ...config.security.redaction import redact
from ...memory.journal import SECOND_RUN
from ...memory.threads.sub_runs import SubRun
from ...memory.undo.change_chains import compute_net_changes
from ...tools.process.output_capture import get_output_path, make_output_id
from ..children.task import Report, SubagentTask
from ..events.agent import ReportStatus
from ..run.context import Context, get_thread_id
from ..run.dependencies import Dependencies
from ..run.limits import NOTHING_USED
from ..run.message_history import iter_newest_first
from .child_state import ChildState

if TYPE_CHECKING:
    from .isolation import MergedChild

MAX_REPORT_LENGTH = 8_000
MAX_FILES = 50
CUT = "\n\n[Cut here: {length} characters; command_output with id `{id}` has all of it.]"
NO_REPORT = "It ended without a report."
FAILED = "It did not finish: {reason}"


async def build_report(
    task: SubagentTask,
    row: SubRun,
    final: ChildState,
    deps: Dependencies,
    runtime: Runtime[Context],
    merged: "MergedChild | None" = None,
) -> Report:
    """Build the report of a child that has ended; the whole text goes to a file.

    `merged`: the merge of its worktree, if it had one.
    """
    child, before = task["child"], task["file_entry"]
    status = final.get("status", "failed")
    answer = redact(_find_answer(final))
    shown_text = await asyncio.to_thread(
        shorten_report, answer, deps.locate_outputs(get_thread_id(runtime)), row.sub_id
    )
    messages = final.get("messages", [])
    if merged:
        files, shown_text = [*merged.files], "\n\n".join(filter(None, [merged.remark, shown_text]))
    else:
        files = await asyncio.to_thread(_list_files, messages, before, deps, runtime)
    return Report(
        call_id=task["call_id"],
        notice=task["notice"],
        position=child["position"],
        count=child["count"],
        sub_id=row.sub_id,
        status=status,
        text=_format_report(row.sub_id, status, files, shown_text),
        files=files,
        usage=final.get("usage", NOTHING_USED),
        allowed=final.get("allowed", []),
        tree=merged.tree if merged else final.get("tree", ""),
        file_entry=merged.file_entry if merged else final.get("file_entry", before),
        proven=not merged.files if merged else final.get("proven", True),
    )


def shorten_report(text: str, outputs: Path, sub_id: str) -> str:
    """Return a report as the parent reads it; a long one is also stored as a file. Blocks."""
    if len(text) <= MAX_REPORT_LENGTH:
        return text
    output_id = make_output_id(sub_id)
    with suppress(OSError):
        make_private_folder(outputs)
        get_output_path(outputs, output_id).write_text(text, encoding="utf-8")
    remark = CUT.format(length=len(text), id=output_id)
    return text[: MAX_REPORT_LENGTH - len(remark)] + remark


def _find_answer(final: ChildState) -> str:
    """Return the child's last answer, and the reason if it failed."""
    answer = final.get("summary", "").strip()
    if not answer:
        newest = iter_newest_first(final, "agent")
        answer = next((str(m.text) for m in newest if isinstance(m, AIMessage) and m.text), "")
    failure = final.get("failure", "")
    parts = [FAILED.format(reason=failure) if failure else "", answer.strip()]
    return "\n\n".join(filter(None, parts)) or NO_REPORT


def _format_report(sub_id: str, status: ReportStatus, files: Sequence[str], text: str) -> str:
    remainder = [f"{len(files) - MAX_FILES} more"] if len(files) > MAX_FILES else []
    listed_files = [*files[:MAX_FILES], *remainder]
    changed = f"; files changed: {', '.join(listed_files)}" if files else ""
    return f"[{sub_id}: {status}{changed}]\n{text}"


def _list_files(
    messages: Sequence[AnyMessage], before: int, deps: Dependencies, runtime: Runtime[Context]
) -> list[str]:
    """List the files that the child's own calls have changed."""
    calls = {
        str(call["id"])
        for message in messages
        if isinstance(message, AIMessage)
        for call in message.tool_calls
    }
    entries = deps.history.list_entries(get_thread_id(runtime), before)
    child_entries = [entry for entry in entries if entry.key.removesuffix(SECOND_RUN) in calls]
    return [change.path for change in compute_net_changes(child_entries)]
