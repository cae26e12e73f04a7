"""Show a run's events: as text for people, as JSON for programs."""

from typing import Protocol

from ...sdk.events import Event, Interrupted, as_json
from ..enums import AnswerStyle, OutputFormat
from ..i18n.catalogs import t
from .chat_renderer import AnswerRenderer
from .output import echo, echo_json
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
        """Show how the run ended; None when it was stopped before it began."""
        ...


class JsonRenderer:
    """JSON on stdout: every event on a line of its own, or only how the run ended."""

    def __init__(self, *, every_event: bool) -> None:
        self._every_event = every_event

    def show(self, event: Event) -> None:
        """Print the event if every one is wanted."""
        if self._every_event:
            echo_json(as_json(event), indent=None)

    def stopping(self) -> None:
        """Say it on stderr: stdout is JSON."""
        echo(t("run.stopping"), err=True)

    def end(self, last: Event | None) -> None:
        """Print the last event, which says everything about the end."""
        if last is None or not self._every_event:
            echo_json(as_json(last or Interrupted("")), indent=None)


def renderer_for(
    output: OutputFormat, *, show_thinking: bool = True, answer: AnswerStyle | None = None
) -> Renderer:
    """The renderer of an `--output` choice; `answer` is for a conversation."""
    if output is not OutputFormat.text:
        return JsonRenderer(every_event=output is OutputFormat.stream_json)
    if answer is None:
        return TextRenderer(show_thinking=show_thinking)
    return AnswerRenderer(answer, show_thinking=show_thinking)
