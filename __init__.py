"""MaxAgent: a coding agent for the terminal whose every run is a durable LangGraph thread."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .config.trust import trust
    from .sdk.answers import Answer
    from .sdk.runner import Runner

__all__ = ["Answer", "Runner", "__version__", "trust"]
__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """Import what is first asked for only then: LangGraph takes its time."""
    if name == "Runner":
        from .sdk.runner import Runner

        return Runner
    if name == "Answer":
        from .sdk.answers import Answer

        return Answer
    if name == "trust":
        from .config.trust import trust

        return trust
    raise AttributeError(f"module `maxagent` has no attribute `{name}`")
