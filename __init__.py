"""MaxAgent: a coding agent for the terminal whose every run is a durable LangGraph thread."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .sdk.answers import Answer
    from .sdk.runner import Runner

__all__ = ["Answer", "Runner", "__version__"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import `Runner` and `Answer` when they are first asked for: LangGraph takes its time."""
    if name == "Runner":
        from .sdk.runner import Runner

        return Runner
    if name == "Answer":
        from .sdk.answers import Answer

        return Answer
    raise AttributeError(f"module `maxagent` has no attribute `{name}`")
