"""Tell whoever watches: nodes never print, they write events to the run's stream."""

from langgraph.runtime import Runtime

from .context import Context


def tell(runtime: Runtime[Context], event: str, **fields: object) -> None:
    """Send one event; its names and fields are those of `sdk/events.py`."""
    runtime.stream_writer({"type": event, **fields})
