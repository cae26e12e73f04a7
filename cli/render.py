"""Show a run's events: as text for people, as JSON for programs."""

from typing import Protocol

from ..sdk.events import Event, RunStarted, as_json
from .choices import OutputFormat
from .echo import echo, echo_json
from .i18n import t
from .text_renderer import TextRenderer


class Renderer(Protocol):
    """What every way of showing a run can do."""

    def show(self, event: Event) -> None:
        """Show one event as it happens."""
        ...

    def stopping(self) -> None:
        """Say that the first Ctrl-C was heard."""
        ...

    def end(self, last: Event | None) -> None:
        """Show how the run ended; None when it was stopped at once."""
        ...


class JsonRenderer:
    """JSON on stdout: every event on a line of its own, or only how the run ended."""

    def __init__(self, *, every_event: bool) -> None:
        self._every_event = every_event
        self._thread_id = ""

    def show(self, event: Event) -> None:
        """Print the event if every one is wanted."""
        if isinstance(event, RunStarted):
            self._thread_id = event.thread_id
        if self._every_event:
            echo_json(as_json(event), indent=None)

    def stopping(self) -> None:
        """Say it on stderr: stdout is JSON."""
        echo(t("run.stopping"), err=True)

    def end(self, last: Event | None) -> None:
        """Print the last event, which says everything about the end."""
        if last is None:
            echo_json({"type": "interrupted", "thread_id": self._thread_id}, indent=None)
        elif not self._every_event:
            echo_json(as_json(last), indent=None)


def renderer_for(output: OutputFormat, *, show_thinking: bool = True) -> Renderer:
    """The renderer of an `--output` choice."""
    if output is OutputFormat.text:
        return TextRenderer(show_thinking=show_thinking)
    return JsonRenderer(every_event=output is OutputFormat.stream_json)
