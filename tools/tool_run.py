"""Context of a tool call, besides the model's arguments."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from langchain_core.tools import InjectedToolArg

from .filesystem.file_context import FileContext

if TYPE_CHECKING:
    from ..config.settings.schema import RagServer
    from .card_access import CardAccess
    from .mcp.mcp_access import McpAccess
    from .permissions.policy import Policy
    from .process.background_commands import BackgroundCommands
    from .sandbox.sandbox import Sandbox
    from .skills.access import SkillAccess
    from .todo_list import Todo


@dataclass(frozen=True)
class ToolRun(FileContext):
    """One call of a tool: its files, limits and environment."""

    call_id: str
    outputs: Path
    """Folder for whole outputs that are too long for the conversation."""
    command_timeout: float = 120.0
    """Timeout in seconds of a command whose call sets none."""
    todos: Sequence["Todo"] = ()
    policy: "Policy | None" = None
    """What the user allows, and which commands run after an edit; None: no commands."""
    only_reads: bool = False
    """Whether this command line has just been found to only read; False: check it again."""
    checks: Sequence[str] = ()
    """Commands that were decided with the call; others run only if they need no question."""
    emit: Callable[[str], None] = lambda text: None
    """Shows the user a piece of output while the tool still runs."""
    keep: Callable[[str], None] = lambda text: None
    """Stores the call's output so far, in case the process is killed; blocks."""
    sandbox: "Sandbox | None" = None
    """What confines the call's commands; None: nothing does."""
    rag_servers: Mapping[str, "RagServer"] = field(default_factory=dict[str, "RagServer"])
    """The retrieval servers that may be asked, by name."""
    cards: "CardAccess | None" = None
    """What is remembered from thread to thread; None: nothing is."""
    skills: "SkillAccess | None" = None
    """The skills that the call may load; None: none."""
    jobs: "BackgroundCommands | None" = None
    """The thread's background commands; None: the call can start none."""
    mcp: "McpAccess | None" = None
    """The MCP servers of the thread; None: there are none."""


if TYPE_CHECKING:
    Run = ToolRun
    """The type of a tool's `run` parameter; the model never sees it."""
else:  # pydantic would build a schema of every dataclass field
    Run = Annotated[Any, InjectedToolArg]
