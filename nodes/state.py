"""State: the channels of a thread. Small, serialisable data; large data is in files, by ID."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, Required, TypeVar

from langchain_core.messages import AnyMessage
from langgraph.channels import DeltaChannel
from typing_extensions import TypedDict

from ..memory.checkpoints.message_merge import merge_messages
from ..tools.todo_list import Todo
from .children.task import Reports, merge_reports
from .conversation.cut import CompactionRequest, Cut, merge_cuts
from .options import Options
from .roles import RoleName
from .tool_task import PendingCall
from .usage import Usage as Usage

Outcome = Literal["verified", "unverified", "failed", "undone", "answered"]
FailureCause = Literal["tests", "rejected", "no_verdict", "repeated"]
Latest = TypeVar("Latest")
# Writes until LangGraph copies the whole value into a checkpoint. The copies of a long thread would
# be most of its bytes; what they save, `memory/checkpoints/delta_history.py` saves in memory.
NEVER = 1_000_000_000


def keep_last_write(state: str, writes: Sequence[str]) -> str:
    """Reduce as `keep_latest` does, for a channel that gets all its writes at once."""
    return writes[-1]


def keep_latest(old: Latest, new: Latest) -> Latest:
    """Keep the last write of a step; several tool calls may write in one step."""
    return new


def merge_skills(old: dict[str, str], new: dict[str, str]) -> dict[str, str]:
    """Add loaded skills; several may be loaded in one step."""
    return {**{name: old[name] for name in old if name not in new}, **new}


class Evidence(TypedDict):
    """The result of a test run, and the snapshot of the files that it tested."""

    command: str
    verdict: Literal["passed", "failed", "unverified"]
    reason: str
    """The reason, as a message."""
    exit_code: int | None
    passed: int | None
    failed: int | None
    errors: int | None
    skipped: int | None
    """Counts; None where the command reports none."""
    tree: str
    """The workspace snapshot that was tested; empty without snapshots."""
    tail: str
    """The end of the command's output."""
    failing: NotRequired[list[str]]
    """Names of the tests that failed, the first of them; also of those in `already_red`."""
    already_red: NotRequired[list[str]]
    """Those of them that were red before the job, which do not count."""
    flaky: NotRequired[list[str]]
    """Tests that failed, and passed when they were run again; they count as passed."""


class BaselineRun(TypedDict):
    """A test run on the files before the job."""

    exit_code: int
    red: int
    """Number of tests and files that failed."""
    failing: list[str]
    """Their names."""
    names_all_red: bool
    """Whether `failing` has all of them."""


class Baseline(TypedDict):
    """What the tests said before the job changed anything; known of commands that were red."""

    tree: str
    """The snapshot before the job."""
    runs: dict[str, BaselineRun]
    """By command."""


class TestsBefore(TypedDict):
    """The result of the project's tests before the tester wrote any."""

    command: str
    reason: str
    """The reason, as in `Evidence`."""
    passed: int | None
    """How many passed; None where the command reports no counts."""


class ThinkingChoice(TypedDict):
    """Whether the model thinks about one request of the user; decided once, when it arrives."""

    strategy: Literal["auto", "enabled", "disabled"]
    needed: bool
    """Whether the request needs thinking."""
    model: str
    """`PROVIDER/MODEL` that answers where thinking is needed; empty: the usual one, told to
    think."""
    effort: str
    """How much to think; `auto`: the provider's default."""


class Draft(TypedDict, total=False):
    """The user's changes to a proposed plan, before it is approved or rejected."""

    changed: bool
    """Whether the user has changed the plan's text."""
    chosen: dict[str, str]
    """The model and the approval mode that the user chose to carry it out."""


class AttemptResult(TypedDict):
    """How one of several attempts at the task ended."""

    number: int
    thread_id: str
    model: str
    """The model that was named for it; empty: the configured one."""
    outcome: str
    """As `State.outcome`; empty if it did not end."""
    reason: str
    """Why it is kept, or why not."""
    kept: bool
    lines: int
    """Added and removed lines."""
    tests_changed: list[str]
    """Tests that were there before, and that it changed or deleted."""
    summary: str
    evidence: Evidence | None
    usage: NotRequired[Usage]
    """What it has used; missing in older threads."""
    undecided: NotRequired[bool]
    """Whether it is not verified, but nothing speaks against it, so the user may choose it."""


class State(TypedDict, total=False):
    """The thread."""

    request: Annotated[Required[str], DeltaChannel(keep_last_write, snapshot_frequency=NEVER)]
    """The user's request."""
    folder: Required[str]
    """The project's absolute path."""
    # reduced, since two writes before the next checkpoint may name a model
    options: Annotated[Options, keep_latest]
    messages: Annotated[list[AnyMessage], DeltaChannel(merge_messages, snapshot_frequency=NEVER)]
    """The conversations of all roles. `additional_kwargs["role"]` names the role; in a tool message
    `additional_kwargs["seen"]` maps each file that it showed or wrote to its content hash."""
    cuts: Annotated[dict[str, Cut], DeltaChannel(merge_cuts, snapshot_frequency=NEVER)]
    """What each conversation leaves out: `architect`, `coder`, `tester`, `editor` or `chat`."""
    compaction: CompactionRequest | None
    """Why a view must become smaller now; None: no view must."""
    context_message: Annotated[str, DeltaChannel(keep_last_write, snapshot_frequency=NEVER)]
    """The message after the system prompt; empty where a thread has none. It never changes."""
    mcp: str
    """Hash of the file with what the thread is offered of MCP servers; empty: nothing. It never
    changes."""
    role: RoleName
    """The active role."""
    told: list[str]
    """Mode and agent of a conversation that were last announced to the model."""
    steps: int
    """Model turns taken; the thread's step n is its n-th model answer."""
    steps_allowed: int
    """Step after which the run stops until it is resumed; 0: not yet decided."""
    cost_allowed: float
    """Total cost in US dollars at which the run stops, too; 0: not yet decided, or no limit."""
    turn: int
    """Number of the user's requests, from 1: the task, a remark, a message."""
    thinking: ThinkingChoice | None
    """Whether the model thinks about the current request; None: not yet decided."""
    planned: int
    """The last request whose steps the tool planner has asked for; missing: none."""
    todos_checked: int
    """The last request at whose end the model was asked about open tasks; missing: none."""
    message_id: str
    """ID of the user's message that the turn answers; empty: the request that began the thread."""
    asked: list[str]
    """The open question: calls as `compute_binding` describes them, or the test command."""
    consents: dict[str, bool]
    """The user's answers about the tests, for the whole thread: `test_consent.py`."""
    # not an option, since a client that starts a run chooses those
    allowed: list[str]
    """Rules as under `permissions.allow` that the user gave for this thread alone."""
    draft: Draft
    queue: list[list[PendingCall]]
    """Groups of allowed calls; each waits for the group before it."""
    reports: Annotated[Reports, merge_reports]
    """What sub-agents have reported and their calls are not yet answered with, by
    `CALL:POSITION`."""
    todos: Annotated[list[Todo], keep_latest]
    skills: Annotated[dict[str, str], merge_skills]
    """Skills that were loaded, and the hash of each one's file; the last one loaded comes last."""
    completion: Annotated[str, keep_latest]
    """The last result that `attempt_completion` reported."""
    summary: str
    """The report of what was done; in a conversation the last answer."""
    tree: Annotated[str, keep_latest]
    """Workspace snapshot after the last step that could change files: a checkpoint is the pair
    (conversation, files)."""
    file_entry: Annotated[int, keep_latest]
    """Number of the thread's last entry in the history of files at this checkpoint."""
    since: int
    """`file_entry` when the current job began; later entries belong to the job."""
    evidence: Evidence | None
    """The last test run."""
    baseline: Baseline | None
    """What the tests said before the job."""
    tests_before: TestsBefore | None
    """What the tests said before the tester wrote any; only where it writes tests for a file."""
    proven: Annotated[bool, keep_latest]
    """Whether no step has had an effect since the last test run (snapshots miss some files)."""
    accepted: bool
    """Whether the tester has accepted the change."""
    kept: bool
    """Whether the user has kept the result."""
    rounds: int
    """Repair rounds used."""
    usage: Usage
    attempts: list[AttemptResult]
    """The attempts at the task, where it has several."""
    fallback: str
    """`PROVIDER/MODEL` that answers for the rest of the turn; empty: the chosen one, which has not
    failed."""
    outcome: Outcome | None
    """How the job ended; None while it runs."""


class Task(TypedDict, total=False):
    """The input of a task: Studio's form."""

    request: Required[str]
    folder: Required[str]
    options: Options


def select_changes(state: State, update: Mapping[str, Any]) -> dict[str, Any]:
    """Drop unchanged values from an update, except messages."""
    # each write is a row in the database
    messages = {key: value for key, value in update.items() if key == "messages"}
    return messages | {
        key: value for key, value in update.items() if key not in state or state[key] != value
    }


def choose_first_node(state: State) -> Literal["architect", "attempts", "verify"]:
    """Return where a task starts: with its plan, with several attempts, or with its test runs."""
    options = state.get("options", {})
    if options.get("tests_for"):
        return "verify"
    return "attempts" if options.get("best_of", 1) > 1 else "architect"
