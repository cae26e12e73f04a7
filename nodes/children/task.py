"""The task of a sub-agent, and its report. A run of a sub-agent is called a child."""

from collections.abc import Mapping
from typing import NotRequired

from typing_extensions import TypedDict

from ..events.agent import ReportStatus
from ..options import Options
from ..usage import Usage


class ChildTask(TypedDict):
    """One task of a call of `subagent`."""

    agent: str
    """The name of its agent."""
    task: str
    position: int
    """Its index among the tasks of its call, from 0."""
    count: int
    """Number of tasks in that call."""
    writes: bool
    """Whether it may change files or run programs."""
    resume: NotRequired[str]
    """ID of the child whose conversation it continues."""
    isolated: NotRequired[bool]
    """Whether it gets a worktree of its own."""


class SubagentTask(TypedDict):
    """The payload of a `Send`: one child with everything it needs from its parent's state."""

    call_id: str
    notice: str
    """Text before the report, as in `PendingCall`."""
    child: ChildTask
    folder: str
    options: Options
    """The parent's, with the child's profile and limits."""
    allowed: list[str]
    """The rules that the user gave for the thread."""
    tree: str
    file_entry: int
    proven: bool
    turn: int
    message_id: str
    context_message: str
    mcp: str
    fallback: str
    share: float
    """Dollars it may spend; 0: no limit."""


class Report(TypedDict):
    """How a child ended, and what goes into its parent's state."""

    call_id: str
    notice: str
    position: int
    count: int
    sub_id: str
    status: ReportStatus
    text: str
    """For the model."""
    files: list[str]
    """The files that it changed."""
    usage: Usage
    allowed: list[str]
    tree: str
    file_entry: int
    proven: bool


Reports = dict[str, Report | None]


def merge_reports(old: Reports, new: Mapping[str, Report | None]) -> Reports:
    """Add reports by their key; None removes one."""
    return {key: report for key, report in {**old, **new}.items() if report is not None}


def make_report_key(call_id: str, position: int) -> str:
    """Make the key of a child's report."""
    return f"{call_id}:{position}"
