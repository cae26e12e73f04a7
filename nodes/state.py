"""State: what a thread remembers. Small, serialisable data; big things live in files, by id."""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal, NotRequired, Required, TypeVar, cast

from langchain_core.messages import AnyMessage
from langgraph.channels import DeltaChannel
from typing_extensions import TypedDict

from ..memory.checkpoints.message_merge import merge_messages
from ..tools.todo_list import Todo

RoleName = Literal["architect", "coder", "tester", "editor", "build", "plan"]
AfterTools = Literal["approve", "architect", "coder", "tester", "editor", "build", "plan"]
Outcome = Literal["verified", "unverified", "failed", "undone", "answered"]
Latest = TypeVar("Latest")
# Writes until LangGraph copies the whole value into a checkpoint. The copies of a long thread would
# be most of its bytes; what they save, `memory/checkpoints/delta_history.py` saves in memory.
NEVER = 1_000_000_000


def keep_last_write(state: str, writes: Sequence[str]) -> str:
    """The same where every write is given at once."""
    return writes[-1]


def keep_latest(old: Latest, new: Latest) -> Latest:
    """The last write of a step wins; several tool calls may write in one step."""
    return new


class Options(TypedDict, total=False):
    """What the user chose for this thread; it holds after a resume in another shell too."""

    mode: str
    """Approval mode; absent: the configuration's."""
    model: str
    """`PROVIDER/MODEL`; absent: the configuration's."""
    base_url: str
    """Endpoint of the model; absent: the provider's."""
    apply: bool
    """Keep the result without asking."""
    skip_tests: bool
    """End without evidence, as `unverified`."""
    files: list[str]
    """The only files that may be changed, by path relative to the project; absent: any."""
    backup: bool
    """Keep what a file held before it is overwritten; absent: as the configuration says."""
    plan: bool
    """A conversation is in plan mode: nothing but the plan may be written."""
    plan_file: str
    """The plan, by path relative to the project; chosen when plan mode begins."""
    agent: str
    """The profile that speaks in a conversation; absent: the mode's own, `build` or `plan`."""
    speaker: str
    """The profile that speaks this turn, chosen anew by whoever says something."""
    turn_model: str
    """`PROVIDER/MODEL` of this turn only; absent: `model`."""
    max_turns: int
    """Model turns that one message may take; absent: as the configuration says."""
    max_cost: float
    """US dollars that one message may cost; absent: any."""
    schema: dict[str, Any]
    """JSON schema that the answer to one message must fit; absent: any words."""
    aside: list[str]
    """What happened besides the conversation, or was piped to it: told before one message, and no
    words of the human."""
    mentioning: str
    """What of one message can mention files: the words that the human typed; absent: all of it."""


FOR_ONE_MESSAGE = frozenset(
    {"speaker", "turn_model", "max_turns", "max_cost", "schema", "aside", "mentioning"}
)
"""Options that do not hold for what is said later."""


def select_lasting(options: Options) -> Options:
    """Those that hold for what is said later."""
    kept = {key: value for key, value in options.items() if key not in FOR_ONE_MESSAGE}
    return cast(Options, kept)


class Evidence(TypedDict):
    """What a test run showed, and of which files."""

    command: str
    verdict: Literal["passed", "failed", "unverified"]
    reason: str
    """Why, in words."""
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


class Usage(TypedDict):
    """Tokens and money so far."""

    requests: int
    input: int
    output: int
    cached: int
    """Input tokens that the provider's cache answered."""
    cost: float | None
    """US dollars; None when a price is unknown."""


class PendingCall(TypedDict):
    """A tool call that may run."""

    id: str
    name: str
    args: dict[str, Any]
    notice: str
    """Put before the result, such as that the human changed the call; mostly empty."""
    commands: NotRequired[list[str]]
    """Those after an edit that were decided with it; others are not run with it."""
    sandbox: NotRequired[str]
    """What would confine it when it was decided, in words; empty where nothing would."""
    files: NotRequired[list[str]]
    """Those that an edit names, as they really were when it was decided."""
    rule: NotRequired[str]
    """By which rule it was decided."""
    instructions: NotRequired[dict[str, list[str]]]
    """Instruction files that it changes, with what trust knows them by before and after it; only
    where the whole change was shown to the human."""
    only_reads: NotRequired[bool]
    """Whether it is a command that runs unasked because it only read when it was decided."""
    blocked: NotRequired[str]
    """What the sandbox kept from it when it ran inside: it is asked to run once more, outside."""


class ToolTask(TypedDict):
    """One queued call with all it needs from the state: the payload of a `Send`."""

    call: PendingCall
    role: RoleName
    folder: str
    options: Options
    seen: dict[str, str]
    todos: list[Todo]
    tree: str
    turn: int
    rest: NotRequired[list[list[PendingCall]]]
    """Groups that wait for this call's group."""
    allowed: NotRequired[list[str]]
    """The thread's own rules under which it was decided."""
    then: AfterTools
    """The node that follows when every call of the group has its result."""


class Draft(TypedDict, total=False):
    """What the human has done at the question of a plan so far, before a yes or a no."""

    changed: bool
    """The plan is not as the model left it."""
    chosen: dict[str, str]
    """The model and the approval mode that are to carry it out, where they chose any."""


class State(TypedDict, total=False):
    """The thread."""

    request: Annotated[Required[str], DeltaChannel(keep_last_write, snapshot_frequency=NEVER)]
    """What the user asked for."""
    folder: Required[str]
    """The project's absolute path."""
    # reduced, since a model may be named twice before the next checkpoint
    options: Annotated[Options, keep_latest]
    messages: Annotated[list[AnyMessage], DeltaChannel(merge_messages, snapshot_frequency=NEVER)]
    """Every role's conversation; `additional_kwargs["role"]` says whose, and a tool message's
    `additional_kwargs["seen"]` which files it showed or wrote, by path, with their content hash."""
    role: RoleName
    """Who speaks."""
    told: list[str]
    """Mode and speaker of a conversation, as the model was told last."""
    steps: int
    """Model turns taken; the thread's step n is its n-th model answer."""
    steps_allowed: int
    """Step after which the run stops and waits to be resumed; 0: not yet decided."""
    cost_allowed: float
    """US dollars in all at which it does so; 0: not yet decided, or any."""
    turn: int
    """How often the human has asked for something, from 1: the task, a remark, new input."""
    asked: list[str]
    """What the human is being asked: calls as `ruling.shown` has them, or the test command; empty
    otherwise."""
    consents: dict[str, bool]
    """What the human has said to for the whole thread about its tests: `test_consent.py`."""
    allowed: list[str]
    """Rules as under `permissions.allow` that the user gave for this thread alone. No option: a
    client that starts a run chooses those."""
    draft: Draft
    queue: list[list[PendingCall]]
    """Groups of allowed calls that wait for the group before them."""
    todos: Annotated[list[Todo], keep_latest]
    completion: Annotated[str, keep_latest]
    """The result that `attempt_completion` named last."""
    summary: str
    """What the coder says it did."""
    tree: Annotated[str, keep_latest]
    """Workspace snapshot after the last step that could change files: a checkpoint is the pair
    (conversation, files)."""
    file_entry: Annotated[int, keep_latest]
    """Number of the thread's last entry in the history of files at this checkpoint."""
    since: int
    """The same when the current job began: what came later is its doing."""
    evidence: Evidence | None
    """The last test run."""
    proven: Annotated[bool, keep_latest]
    """No step had an effect since the last test run; snapshots do not see every file."""
    accepted: bool
    """The tester has accepted the change."""
    kept: bool
    """The human has kept the result."""
    rounds: int
    """Repair rounds used."""
    usage: Usage
    outcome: Outcome | None
    """How the task ended; None while it goes on."""


class Task(TypedDict, total=False):
    """What starts a task: Studio's input form."""

    request: Required[str]
    folder: Required[str]
    options: Options


def select_changes(state: State, update: Mapping[str, Any]) -> dict[str, Any]:
    """What of an update the state does not hold yet: each write is a row on the disk."""
    messages = {key: value for key, value in update.items() if key == "messages"}
    return messages | {
        key: value for key, value in update.items() if key not in state or state[key] != value
    }
