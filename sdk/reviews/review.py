"""A review: one turn of a read-only conversation about a diff, with validated findings."""

import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ...nodes.options import Options
from ...tools.git.diff_lines import list_shown_lines
from ..events import Completion, Event, Output
from .scope import ReviewScope

if TYPE_CHECKING:
    from ..runner import Runner

Severity = Literal["high", "medium", "low"]
SEVERITIES: tuple[Severity, ...] = ("high", "medium", "low")
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "findings": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "file": {"type": "string"},
                    "line": {"type": "integer"},
                    "severity": {"enum": list(SEVERITIES)},
                    "text": {"type": "string"},
                },
                "required": ["file", "line", "severity", "text"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["findings"],
    "additionalProperties": False,
}
_CHECKED_OUT = "The files that your tools read are those of the working tree."
_ELSEWHERE = (
    "The files that your tools read are those of the working tree, not of this commit: {head}."
)
_CUT = " The diff is cut: only its beginning is below, review that."


@dataclass(frozen=True)
class Finding:
    """One remark of the reviewer."""

    file: str
    line: int
    severity: Severity
    text: str
    in_diff: bool
    """Whether the diff shows that line."""

    def to_json(self) -> dict[str, Any]:
        """Return the finding as JSON."""
        return asdict(self)


def read_findings(answer: str, diff: str) -> tuple[list[Finding], int]:
    """Return the findings of a valid answer, the most severe first, and how many were dropped.

    Findings in files that are not in the diff are dropped.
    """
    shown_lines = list_shown_lines(diff)
    reported = json.loads(answer)["findings"]
    findings = [
        Finding(**finding, in_diff=finding["line"] in shown_lines[finding["file"]])
        for finding in reported
        if finding["file"] in shown_lines
    ]
    findings.sort(
        key=lambda finding: (SEVERITIES.index(finding.severity), finding.file, finding.line)
    )
    return findings, len(reported) - len(findings)


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
