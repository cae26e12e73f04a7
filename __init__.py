"""MaxAgent: a coding agent for the terminal whose every run is a durable LangGraph thread."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .cli.execution.terminal_runner import TerminalRunner
    from .config.agents.profile import AgentProfile
    from .config.errors import (
        MaxAgentError,
        ThreadBusy,
        ThreadBusyError,
        UnfinishedTurn,
        UnfinishedTurnError,
        UsageError,
    )
    from .config.trust.decision import trust
    from .nodes.options import Options
    from .sdk.agents import agents
    from .sdk.event_runner import EventRunner
    from .sdk.events import (
        AttemptProgress,
        AttemptsCompared,
        BackgroundFinished,
        BackgroundStarted,
        CacheReset,
        CardProposed,
        CompactionFinished,
        CompactionStarted,
        Completion,
        Event,
        EvidenceFound,
        Failure,
        FilesChanged,
        HookFinished,
        Interrupted,
        MemoryShown,
        Mentioned,
        ModeChanged,
        ModelChanged,
        Notice,
        Output,
        Plan,
        PlanResponse,
        Progress,
        PullRequestOpened,
        Question,
        Repair,
        Retrying,
        RoleStarted,
        RunStarted,
        Steered,
        SubagentFinished,
        SubagentStarted,
        Thinking,
        Todos,
        TokenUsage,
        ToolCall,
        ToolOutput,
        ToolProgress,
        ToolResult,
        Verifying,
        list_questions,
    )
    from .sdk.interrupt_response import Answer
    from .sdk.runner import Runner
    from .sdk.runs.event_messages import EventMessage
    from .sdk.runs.result import RunResult, collect
    from .sdk.sync_runner import SyncRunner
    from .tools.runtime.program_tools import tool

__all__ = [
    "AgentProfile",
    "Answer",
    "AttemptProgress",
    "AttemptsCompared",
    "BackgroundFinished",
    "BackgroundStarted",
    "CacheReset",
    "CardProposed",
    "CompactionFinished",
    "CompactionStarted",
    "Completion",
    "Event",
    "EventMessage",
    "EventRunner",
    "EvidenceFound",
    "Failure",
    "FilesChanged",
    "HookFinished",
    "Interrupted",
    "MaxAgentError",
    "MemoryShown",
    "Mentioned",
    "ModeChanged",
    "ModelChanged",
    "Notice",
    "Options",
    "Output",
    "Plan",
    "PlanResponse",
    "Progress",
    "PullRequestOpened",
    "Question",
    "Repair",
    "Retrying",
    "RoleStarted",
    "RunResult",
    "RunStarted",
    "Runner",
    "Steered",
    "SubagentFinished",
    "SubagentStarted",
    "SyncRunner",
    "TerminalRunner",
    "Thinking",
    "ThreadBusy",
    "ThreadBusyError",
    "Todos",
    "TokenUsage",
    "ToolCall",
    "ToolOutput",
    "ToolProgress",
    "ToolResult",
    "UnfinishedTurn",
    "UnfinishedTurnError",
    "UsageError",
    "Verifying",
    "__version__",
    "agents",
    "collect",
    "list_questions",
    "tool",
    "trust",
]
__version__ = "0.2.0"
_MODULES = {
    "AgentProfile": ".config.agents.profile",
    "Answer": ".sdk.interrupt_response",
    "EventMessage": ".sdk.runs.event_messages",
    "EventRunner": ".sdk.event_runner",
    "MaxAgentError": ".config.errors",
    "Runner": ".sdk.runner",
    "SyncRunner": ".sdk.sync_runner",
    "TerminalRunner": ".cli.execution.terminal_runner",
    "ThreadBusy": ".config.errors",
    "ThreadBusyError": ".config.errors",
    "UnfinishedTurn": ".config.errors",
    "UnfinishedTurnError": ".config.errors",
    "UsageError": ".config.errors",
    "Options": ".nodes.options",
    "RunResult": ".sdk.runs.result",
    "agents": ".sdk.agents",
    "collect": ".sdk.runs.result",
    "tool": ".tools.runtime.program_tools",
    "trust": ".config.trust.decision",
}


def __getattr__(name: str) -> Any:
    """Import what is first asked for only then: LangGraph takes its time."""
    if name not in __all__:
        raise AttributeError(f"module `maxagent` has no attribute `{name}`")
    return getattr(import_module(_MODULES.get(name, ".sdk.events"), __name__), name)
