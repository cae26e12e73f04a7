"""What a tool answers, what it is given besides its arguments, and how it refuses."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .permissions import Policy
    from .sandbox.sandbox import Sandbox
    from .todo_list import Todo
    from .workspace import Workspace


class ToolError(Exception):
    """What went wrong and what to try, in words for the model; becomes `ToolResult.error`."""


@dataclass(frozen=True)
class ToolResult:
    """The answer to one tool call."""

    output: str = ""
    """What the model reads."""
    error: str = ""
    """What went wrong and what to try; empty when the call succeeded."""
    metadata: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Small JSON facts for people and programs: `path`, `diff`, `exit_code`, `output_path`…"""
    seen: Mapping[str, str] = field(default_factory=dict[str, str])
    """Content hash of every file this call showed or wrote, by path relative to the project."""
    update: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Changes to the thread's state, by channel: `todos`, `completion`."""

    @property
    def ok(self) -> bool:
        """Whether the call did what it was asked."""
        return not self.error


@dataclass(frozen=True)
class ToolRun:
    """What a tool is given besides the model's arguments."""

    workspace: "Workspace"
    call_id: str
    outputs: Path
    """Folder for whole outputs that are too long for the conversation."""
    command_timeout: float = 120.0
    """Seconds a command may run unless the call says otherwise."""
    seen: Mapping[str, str] = field(default_factory=dict[str, str])
    """Content hashes, as this thread last saw them, of the files that the call names."""
    todos: Sequence["Todo"] = ()
    policy: "Policy | None" = None
    """What the user allows, and which commands run after an edit; None: none do."""
    only_reads: bool = False
    """Whether this command line has just been found to only read; False: it is judged again."""
    checks: Sequence[str] = ()
    """Those that were decided with the call; others run only where no question need be asked."""
    emit: Callable[[str], None] = lambda text: None
    """Tells the user a piece of output while the tool still runs."""
    keep: Callable[[str], None] = lambda text: None
    """Keeps what the call has printed so far, should the process be killed; blocks."""
    backups: Path | None = None
    """Folder in which a file's old content is kept before it is overwritten; None: it is not."""
    sandbox: "Sandbox | None" = None
    """What confines the commands that a call starts; None: nothing does."""
