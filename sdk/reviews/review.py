"""A review: one turn of a read-only conversation about a diff, with validated findings."""

import json
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ...nodes.options import Options
from ..events import Completion, Event, Output
from .findings import SCHEMA, read_findings
from .scope import ReviewScope

if TYPE_CHECKING:
    from ..runner import Runner

_CHECKED_OUT = "The files that your tools read are those of the working tree."
_ELSEWHERE = (
    "The files that your tools read are those of the working tree, not of this commit: {head}."
)
_CUT = " The diff is cut: only its beginning is below, review that."


def build_request(scope: ReviewScope) -> str:
    """Return the message for the reviewer."""
    template = Path(__file__).with_name("review.md").read_text(encoding="utf-8").strip()
    files_note = _ELSEWHERE.format(head=scope.head) if scope.head else _CHECKED_OUT
    cut = _CUT if scope.is_cut else ""
    return template.format(name=scope.name, place=files_note, cut=cut, diff=scope.diff)


async def review_changes(
    runner: "Runner", scope: ReviewScope, folder: Path, options: Options
) -> AsyncGenerator[Event]:
    """Review a scope on a new thread; the completion's summary is a report as JSON.

    The report has `findings`, the number of those `dropped`, and what was reviewed.
    """
    review_options: Options = {**options, "agent": "explore", "mode": "read-only", "mentioning": ""}
    review_options["schema"] = dict(SCHEMA)
    events = runner.chat(
        build_request(scope), folder=folder, options=review_options, title=f"review {scope.name}"
    )
    async with aclosing(events):
        async for event in events:
            if isinstance(event, Completion) and event.outcome == "answered":
                report = build_report(event.summary, scope, event.thread_id)
                yield replace(event, summary=json.dumps(report, ensure_ascii=False))
            elif not isinstance(event, Output):
                yield event


def build_report(answer: str, scope: ReviewScope, thread_id: str) -> dict[str, Any]:
    """Return the report about an answer that fits the schema."""
    findings, dropped = read_findings(answer, scope.diff)
    return {
        "findings": [finding.to_json() for finding in findings],
        "dropped": dropped,
        "reviewed": scope.name,
        "base": scope.base,
        "head": scope.head,
        "is_cut": scope.is_cut,
        "thread_id": thread_id,
    }
