"""Events of the work: its messages, plans, todos, files, tests and notices."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal

from .agent import AgentEvent

RunPurpose = Literal["", "again", "before"]


@dataclass(frozen=True)
class ModeChanged:
    """A conversation continues in another mode, or with another agent."""

    type: ClassVar[Literal["mode"]] = "mode"
    mode: Literal["build", "plan"]
    agent: str
    plan: str
    """Path of the plan, relative to the folder; empty in build mode."""


@dataclass(frozen=True)
class Mentioned(AgentEvent):
    """The `@names` in a message: what is shown to the model, and what is not."""

    type: ClassVar[Literal["mentioned"]] = "mentioned"
    shown: list[str]
    """Paths of the files that are shown to the model."""
    left_out: list[str]
    """Names that are neither an agent nor a file that can be shown; sent as plain text."""


@dataclass(frozen=True)
class Steered:
    """A message that the user sent during the turn reaches the model, between two tool calls."""

    type: ClassVar[Literal["steered"]] = "steered"
    id: str
    """ID of the message, as `Runner.steer` returned it."""
    text: str


@dataclass(frozen=True)
class Plan:
    """The architect's plan."""

    type: ClassVar[Literal["plan"]] = "plan"
    text: str


@dataclass(frozen=True)
class PlanResponse:
    """The model says in plan mode where the plan stands, and asks: the question comes next."""

    type: ClassVar[Literal["plan_response"]] = "plan_response"
    response: str
    options: list[str]
    """Answers that it suggests."""


@dataclass(frozen=True)
class Todos(AgentEvent):
    """The current todo list."""

    type: ClassVar[Literal["todos"]] = "todos"
    items: list[Mapping[str, Any]]


@dataclass(frozen=True)
class FilesChanged(AgentEvent):
    """Files that changed: by a tool, by a command, by others meanwhile, or by an undo, by the
    merge of a sub-agent's worktree."""

    type: ClassVar[Literal["files_changed"]] = "files_changed"
    files: list[Mapping[str, str]]
    """`path`, `kind` (added, modified, deleted) and `by` (tool, shell, others, undo,
    merge)."""
    tree: str
    """Snapshot id of the workspace after the step."""


@dataclass(frozen=True)
class Progress(AgentEvent):
    """The progress of a long step."""

    type: ClassVar[Literal["progress"]] = "progress"
    task: Literal["snapshot", "wait"]
    """The first snapshot of a large folder; or a wait for the provider, in seconds."""
    done: int
    total: int


@dataclass(frozen=True)
class Notice(AgentEvent):
    """A notice for the user."""

    type: ClassVar[Literal["notice"]] = "notice"
    text: str


@dataclass(frozen=True)
class Verifying:
    """The graph starts the project's own tests."""

    type: ClassVar[Literal["verifying"]] = "verifying"
    command: str
    purpose: RunPurpose = ""
    """`again`: to find flaky tests; `before`: on the files before the change. The output of both is
    not shown."""


@dataclass(frozen=True)
class EvidenceFound:
    """The result of a test run, and the files that it tested."""

    type: ClassVar[Literal["evidence"]] = "evidence"
    command: str
    verdict: Literal["passed", "failed", "unverified"]
    reason: str
    exit_code: int | None
    passed: int | None
    failed: int | None
    errors: int | None
    skipped: int | None
    tree: str
    tail: str
    failing: list[str] = field(default_factory=list[str])
    """Names of the tests that failed, the first of them."""
    already_red: list[str] = field(default_factory=list[str])
    """Those that were red before the change, which do not count."""
    flaky: list[str] = field(default_factory=list[str])
    """Those that passed when they were run again; they count as passed."""


@dataclass(frozen=True)
class Repair:
    """The change goes back to the coder."""

    type: ClassVar[Literal["repair"]] = "repair"
    round: int
    of: int
