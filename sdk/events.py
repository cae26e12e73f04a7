"""The events of a run: a closed union of small dataclasses. Names and fields stay; only add.

The terminal, JSON lines, web and ACP render this one stream. A run's stream begins with
`run_started` and ends with exactly one of `question`, `completion`, `interrupted` and `error`.

A new event takes:

- a dataclass in `sdk/event_types/<part>.py`, from `AgentEvent` if a sub-agent can send it; its
  import and its name in the union `Event` in `sdk/events.py`
- a node sends it by `emit_event`
- a row in `docs/events.md`
- a run in `tests/e2e/test_event_schema.py`, or a test of its own: then list it in `elsewhere`
  there
- `make docs`
- if people see it: a method in `cli/rendering/text_renderer.py`, which conversations
  and single messages use, too (what they do not show: `SILENT_EVENTS` in
  `cli/repl/session/turn_renderer.py`)
- its words in `cli/rendering/event_text.py`, their keys in both `mcode.po`
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from keyword import iskeyword
from typing import Any, ClassVar, Literal

from .event_types.agent import AgentEvent
from .event_types.agent import AttemptProgress as AttemptProgress
from .event_types.agent import AttemptsCompared as AttemptsCompared
from .event_types.agent import SubagentFinished as SubagentFinished
from .event_types.agent import SubagentStarted as SubagentStarted
from .event_types.context import CacheReset as CacheReset
from .event_types.context import CardProposed as CardProposed
from .event_types.context import CompactionFinished as CompactionFinished
from .event_types.context import CompactionStarted as CompactionStarted
from .event_types.context import MemoryShown as MemoryShown
from .event_types.evidence import EvidenceFound as EvidenceFound
from .event_types.evidence import Repair as Repair
from .event_types.evidence import Verifying as Verifying
from .event_types.question import Question as Question
from .event_types.tool import BackgroundFinished as BackgroundFinished
from .event_types.tool import BackgroundStarted as BackgroundStarted
from .event_types.tool import HookFinished as HookFinished
from .event_types.tool import ToolCall as ToolCall
from .event_types.tool import ToolOutput as ToolOutput
from .event_types.tool import ToolProgress as ToolProgress
from .event_types.tool import ToolResult as ToolResult


@dataclass(frozen=True)
class RunStarted:
    """A run starts or continues."""

    type: ClassVar[Literal["run_started"]] = "run_started"
    thread_id: str
    title: str
    folder: str
    model: str
    mode: str
    resumed: bool
    sandbox: str = ""
    """What confines commands, and whether they have a network; or `none: ` and the reason."""
    thinking: str = ""
    """When the model thinks: `auto`, `enabled` or `disabled`."""
    effort: str = ""
    """How much it thinks: `auto`, `low`, `medium`, `high` or `max`."""


@dataclass(frozen=True)
class RoleStarted:
    """Another role takes over."""

    type: ClassVar[Literal["role"]] = "role"
    role: str


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
class Thinking(AgentEvent):
    """A piece of the model's reasoning."""

    type: ClassVar[Literal["thinking"]] = "thinking"
    text: str


@dataclass(frozen=True)
class Output(AgentEvent):
    """A piece of the model's answer."""

    type: ClassVar[Literal["output"]] = "output"
    text: str


@dataclass(frozen=True)
class Retrying(AgentEvent):
    """The request failed and is repeated: discard the pieces of this answer so far."""

    type: ClassVar[Literal["retry"]] = "retry"
    reason: str
    seconds: float
    attempt: int


@dataclass(frozen=True)
class ModelChanged(AgentEvent):
    """A model failed and another one is asked: forget the pieces of this answer so far."""

    type: ClassVar[Literal["model_changed"]] = "model_changed"
    from_: str
    """The model that could not answer, as `PROVIDER/MODEL`; in JSON the field's name is `from`."""
    to: str
    """The model that answers from here on, until the next message of the user."""
    reason: str
    price_before: Mapping[str, float] | None = None
    """`input`, `output` and `cached`: US dollars per million tokens; None: unknown."""
    price_after: Mapping[str, float] | None = None


@dataclass(frozen=True)
class TokenUsage(AgentEvent):
    """Totals of the thread after one more request."""

    type: ClassVar[Literal["token_usage"]] = "token_usage"
    requests: int
    input: int
    output: int
    cached: int
    """Input tokens that the provider's cache answered."""
    cost: float | None
    """US dollars; None if a price is unknown."""
    window: int
    """Tokens of the last request."""
    context_length: int
    """Tokens that the model can read."""
    request: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """`input`, `output`, `cached`, `cost` and `seconds` of this request alone."""
    seconds: float = 0.0
    """Time of all answered requests."""


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
class PullRequestOpened:
    """The changes are pushed, and a pull request is open for them."""

    type: ClassVar[Literal["pull_request"]] = "pull_request"
    url: str
    branch: str
    number: int


@dataclass(frozen=True)
class Completion:
    """The job has ended; last event of the stream."""

    type: ClassVar[Literal["completion"]] = "completion"
    thread_id: str
    outcome: Literal["verified", "unverified", "failed", "undone", "answered"]
    summary: str
    evidence: Mapping[str, Any] | None
    files: list[Mapping[str, str]]
    diff: str
    graph: str = "task"
    """The graph: `task`; `edit`, which runs no tests; `chat`, whose summary is the answer."""
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Totals of the thread: `prompt`, `completion`, `total` and `cached` tokens, `cost` in US
    dollars (None: unknown), `seconds` and number of the answered `requests`."""
    pull_request: Mapping[str, Any] | None = None
    """`url`, `branch` and `number` of the thread's pull request; None: there is none."""
    reason: str = ""
    """Why the outcome is another one than the evidence says; empty: it is not, or was undone."""


@dataclass(frozen=True)
class Interrupted:
    """The run was stopped; `resume` continues the thread; last event of the stream."""

    type: ClassVar[Literal["interrupted"]] = "interrupted"
    thread_id: str
    reason: Literal["user", "timeout"] = "user"
    """Who stopped it: the user, or the time limit of this run."""
    usage: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Totals of the thread, as in `completion`; empty: it stopped before they were read."""


@dataclass(frozen=True)
class Failure:
    """The run failed; the thread is kept; last event of the stream."""

    type: ClassVar[Literal["error"]] = "error"
    message: str
    hint: str
    exit_code: int
    thread_id: str = field(default="")


Event = (
    RunStarted
    | RoleStarted
    | ModeChanged
    | Mentioned
    | Steered
    | MemoryShown
    | CardProposed
    | Thinking
    | Output
    | Retrying
    | ModelChanged
    | TokenUsage
    | Plan
    | PlanResponse
    | ToolCall
    | ToolOutput
    | ToolProgress
    | ToolResult
    | HookFinished
    | BackgroundStarted
    | BackgroundFinished
    | SubagentStarted
    | SubagentFinished
    | Todos
    | FilesChanged
    | Verifying
    | EvidenceFound
    | Repair
    | AttemptProgress
    | AttemptsCompared
    | Progress
    | CompactionStarted
    | CompactionFinished
    | CacheReset
    | Notice
    | PullRequestOpened
    | Question
    | Completion
    | Interrupted
    | Failure
)
KINDS: dict[str, type[Event]] = {kind.type: kind for kind in Event.__args__}


def list_questions(first: Question | None) -> list[Question]:
    """Return all open questions by the event that a run ended with; none without one."""
    return [first, *(Question(**other) for other in first.others)] if first else []


def is_from_subagent(event: Event) -> bool:
    """Return whether a sub-agent has emitted the event."""
    return isinstance(event, AgentEvent) and bool(event.agent)


def parse_event(data: Mapping[str, Any]) -> Event:
    """Return the event that a node emitted; raise KeyError or TypeError if it is unknown."""
    fields = {f"{name}_" if iskeyword(name) else name: data[name] for name in data}
    return KINDS[fields.pop("type")](**fields)


def as_json(event: Event) -> dict[str, Any]:
    """Return the event as JSON, its `type` first."""
    fields = {name.removesuffix("_"): value for name, value in asdict(event).items()}
    if isinstance(event, AgentEvent):
        fields["agent"] = fields.pop("agent")
    return {"type": event.type, **fields}
