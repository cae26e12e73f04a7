"""Children that the user did not wait for, and the answers to their calls."""

from collections.abc import Sequence

from langchain_core.messages import ToolMessage

from ...memory.threads.sub_runs import ENDED, SubRun, SubRuns

KILLED = (
    "[{id}: killed]\nThe user did not wait for it. What it had changed by then is in the files."
)

KILLED_APART = (
    "[{id}: killed]\nThe user did not wait for it. What it had changed was in a copy of the "
    "project, and is not in the files."
)


def answer_with_reports(
    messages: Sequence[ToolMessage], sub_runs: SubRuns, thread: str
) -> list[ToolMessage]:
    """Return the answers to abandoned calls, with the reports that exist. Blocks."""
    rows = sub_runs.list_sub_runs(thread)
    return [_add_reports(message, rows) for message in messages]


def end_abandoned(sub_runs: SubRuns, thread: str) -> None:
    """Record children that have not ended as killed. Blocks."""
    for row in sub_runs.list_sub_runs(thread):
        if row.status not in ENDED:
            sub_runs.finish(
                thread, row.sub_id, "killed", requests=0, tokens=0, cost=None, report=""
            )


def _add_reports(message: ToolMessage, rows: Sequence[SubRun]) -> ToolMessage:
    call_rows = sorted(
        (row for row in rows if row.call_id == message.tool_call_id), key=lambda row: row.position
    )
    if not call_rows:
        return message
    texts = [
        row.report if row.status in ENDED and row.report else _describe_abandoned(row)
        for row in call_rows
    ]
    return message.model_copy(update={"content": "\n\n".join(texts)})


def _describe_abandoned(row: SubRun) -> str:
    return (KILLED_APART if row.worktree else KILLED).format(id=row.sub_id)
