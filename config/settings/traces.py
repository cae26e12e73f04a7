"""The settings of traces and metrics."""

from pydantic import Field

from .section import Section


class OtelSection(Section):
    """Where traces and metrics of runs are sent, by OTLP over HTTP."""

    endpoint: str = ""
    """Address of the receiver, such as `http://localhost:4318`; empty: nothing is sent."""
    headers: dict[str, str] = Field(default_factory=dict[str, str])
    """Headers of each request to it, such as its key."""
    content: bool = False
    """Whether answers, and arguments and results of calls, are sent, too."""
