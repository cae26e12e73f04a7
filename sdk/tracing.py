"""Work that no tracer hears of.

A stray LANGSMITH_TRACING in the user's shell would upload their code and what they said.
"""

from contextlib import AbstractContextManager


def disable_tracing() -> AbstractContextManager[None]:
    """A block in which LangChain and LangGraph report to nobody."""
    from langsmith import tracing_context  # pyright: ignore[reportUnknownVariableType]

    return tracing_context(enabled=False)
