"""ToolTask: one tool call between its approval and the node that runs it."""

from typing import Any, Literal, NotRequired

from langchain_core.tools import BaseTool
from typing_extensions import TypedDict

from ..memory.journal import SECOND_RUN
from ..tools.definition import extract_paths
from ..tools.result import ToolError
from ..tools.todo_list import Todo
from ..tools.workspace import Workspace
from .children.task import ChildTask
from .options import Options
from .roles import RoleName

AfterTools = Literal["approve", "architect", "coder", "tester", "editor", "build", "plan", "agent"]


class PendingCall(TypedDict):
    """A tool call that may run."""

    id: str
    name: str
    args: dict[str, Any]
    notice: str
    """Text before the result, such as that the user changed the call; mostly empty."""
    commands: NotRequired[list[str]]
    """Commands after an edit that were decided with it; no others run after it."""
    sandbox: NotRequired[str]
    """Description of the sandbox it was decided under; empty where there was none."""
    files: NotRequired[list[str]]
    """Real paths of the files that an edit names, as they were when it was decided."""
    rule: NotRequired[str]
    """The rule that decided it."""
    instructions: NotRequired[dict[str, list[str]]]
    """Digests of the instruction files that it changes, before and after it; only where the whole
    change was shown to the user."""
    only_reads: NotRequired[bool]
    """Whether it is a command that was allowed unasked because it only reads."""
    origins: NotRequired[list[list[str]]]
    """What it starts by a name or a path, as subject, source and digest, as the user allowed it."""
    definition: NotRequired[str]
    """Digest of the definition under which a tool of an MCP server was allowed."""
    blocked: NotRequired[str]
    """What the sandbox denied it; it is asked whether it runs once more, outside."""
    hook: NotRequired[str]
    """Why a hook has it asked."""
    changed: NotRequired[bool]
    """Whether what it starts has changed since it was allowed, so it is evaluated once more."""
    child: NotRequired[ChildTask]
    """The task of a sub-agent; a call with several tasks becomes several of these."""


# The mark of an answer of one line in `additional_kwargs`: the ID of the call that it refers to
UNCHANGED_SINCE = "unchanged_since"


class EarlierAnswer(TypedDict):
    """The answer to an identical call, which the model can still see."""

    call: str
    """ID of that call."""
    step: int
    digest: str
    """Of its text and of the files that it showed."""


class NoteOrigin(TypedDict):
    """Where the text of one note comes from."""

    message: str
    """ID of the user's message."""
    step: int
    asked: bool
    """Whether the user asked for it in that message."""
    foreign: bool
    """Whether it repeats a web page or the answer of a server."""


class ToolTask(TypedDict):
    """The payload of a `Send`: one allowed call with everything it needs from the state."""

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
    together: NotRequired[int]
    """Number of calls in this call's group; missing: it is alone."""
    allowed: NotRequired[list[str]]
    """The thread's own rules under which it was decided."""
    earlier: NotRequired[EarlierAnswer]
    """What the same call was answered before."""
    note: NotRequired[NoteOrigin]
    """Where the text of a note comes from."""
    skills: NotRequired[dict[str, str]]
    """Skills that the model still sees in full, with their hashes; only if the tool needs them."""
    mcp: NotRequired[str]
    """What the thread is offered of MCP servers, as in `State`."""
    then: AfterTools
    """The node that follows when every call of the group has its result."""


def get_journal_key(call: PendingCall) -> str:
    """Return the ID of the call's record in the journal."""
    return call["id"] + (SECOND_RUN if "blocked" in call else "")


def list_named_files(call: PendingCall, tool: BaseTool, workspace: Workspace) -> list[str]:
    """Return the files that the call names, relative to the project; denied ones are left out."""
    files: list[str] = []
    for name in extract_paths(tool, call["args"]):
        try:
            files.append(workspace.to_relative(workspace.resolve(name)))
        except ToolError:
            continue
    return files
