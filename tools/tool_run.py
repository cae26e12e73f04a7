"""What a tool is given besides the model's arguments."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from langchain_core.tools import InjectedToolArg

from .filesystem.file_context import FileContext

if TYPE_CHECKING:
    from .permissions.policy import Policy
    from .sandbox.sandbox import Sandbox
    from .todo_list import Todo


@dataclass(frozen=True)
class ToolRun(FileContext):
    """One call of a tool: its files, its limits and its surroundings."""

    call_id: str
    outputs: Path
    """Folder for whole outputs that are too long for the conversation."""
    command_timeout: float = 120.0
    """Seconds a command may run unless the call says otherwise."""
    todos: Sequence["Todo"] = ()
    policy: "Policy | None" = None
    """What the user allows, and which commands run after an edit; None: none do."""
    only_reads: bool = False
    """Whether this command line has just been found to only read; False: check it again."""
    checks: Sequence[str] = ()
    """Those that were decided with the call; others run only where no question need be asked."""
    emit: Callable[[str], None] = lambda text: None
    """Shows the user a piece of output while the tool still runs."""
    keep: Callable[[str], None] = lambda text: None
    """Keeps what the call has printed so far, should the process be killed; blocks."""
    sandbox: "Sandbox | None" = None
    """What confines the commands that a call starts; None: nothing does."""


if TYPE_CHECKING:
    Run = ToolRun
    """The type of a tool's `run` parameter; the model never sees it."""
else:  # pydantic would build a schema of every field of a dataclass
    Run = Annotated[Any, InjectedToolArg]
