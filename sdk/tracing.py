"""Protection from tracers.

A stray LANGSMITH_TRACING in the user's shell would upload their code and messages.
"""

from contextlib import AbstractContextManager


def disable_tracing() -> AbstractContextManager[None]:
    """Return a context manager in which LangChain and LangGraph trace nothing."""
    from langsmith import tracing_context  # pyright: ignore[reportUnknownVariableType]

    return tracing_context(enabled=False)
