"""What a renderer of a run's events can do; the one that writes JSON."""

from typing import Protocol

from ...sdk.events import Event, Interrupted, as_json
from ..i18n.catalogs import t
from .output import echo, echo_json


class Renderer(Protocol):
    """What every way of showing a run can do."""

    def show_event(self, event: Event) -> None:
        """Show one event as it happens."""
        ...

    def show_stopping(self) -> None:
        """Say that the first Ctrl-C was heard."""
        ...

    def show_end(self, last: Event | None) -> None:
        """Show how the run ended; None when it was stopped before it began."""
        ...


class JsonRenderer:
    """JSON on stdout: every event on a line of its own, or only how the run ended."""

    def __init__(self, *, every_event: bool) -> None:
        self._every_event = every_event

    def show_event(self, event: Event) -> None:
        """Print the event if every one is wanted."""
        if self._every_event:
            echo_json(as_json(event), indent=None)

    def show_stopping(self) -> None:
        """Say it on stderr: stdout is JSON."""
        echo(t("run.stopping"), err=True)

    def show_end(self, last: Event | None) -> None:
        """Print the last event, which says everything about the end."""
        if last is None or not self._every_event:
            echo_json(as_json(last or Interrupted("")), indent=None)
