"""MaxAgent: a coding agent for the terminal whose every run is a durable LangGraph thread."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
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
    from .sdk.agents import agents
    from .sdk.interrupt_response import Answer
    from .sdk.runner import Runner
    from .sdk.sync_runner import SyncRunner

__all__ = [
    "AgentProfile",
    "Answer",
    "MaxAgentError",
    "Runner",
    "SyncRunner",
    "ThreadBusy",
    "ThreadBusyError",
    "UnfinishedTurn",
    "UnfinishedTurnError",
    "UsageError",
    "__version__",
    "agents",
    "trust",
]
__version__ = "0.1.0"
_MODULES = {
    "AgentProfile": ".config.agents.profile",
    "Answer": ".sdk.interrupt_response",
    "MaxAgentError": ".config.errors",
    "Runner": ".sdk.runner",
    "SyncRunner": ".sdk.sync_runner",
    "ThreadBusy": ".config.errors",
    "ThreadBusyError": ".config.errors",
    "UnfinishedTurn": ".config.errors",
    "UnfinishedTurnError": ".config.errors",
    "UsageError": ".config.errors",
    "agents": ".sdk.agents",
    "trust": ".config.trust.decision",
}


def __getattr__(name: str) -> Any:
    """Import what is first asked for only then: LangGraph takes its time."""
    if name not in _MODULES:
        raise AttributeError(f"module `maxagent` has no attribute `{name}`")
    return getattr(import_module(_MODULES[name], __name__), name)
