"""Tell whoever watches: nodes never print, they write events to the run's stream."""

from langgraph.runtime import Runtime

from ..config.redaction import redacted_all
from .context import Context


def tell(runtime: Runtime[Context], event: str, **fields: object) -> None:
    """Send one event, no secret in it; its names and fields are those of `sdk/events.py`."""
    runtime.stream_writer({"type": event, **redacted_all(fields)})
