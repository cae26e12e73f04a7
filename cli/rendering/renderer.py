"""Interface of all renderers of a run's events, the choice of one, and the renderer for JSON."""

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ...sdk.events import Event, Interrupted, as_json
from ..i18n.catalogs import t
from .output import echo, echo_json

if TYPE_CHECKING:
    from rich.console import Console

    from .text_renderer import TextRenderer


class Renderer(Protocol):
    """Shows a run."""

    def show_event(self, event: Event) -> None:
        """Show one event as it happens."""
        ...

    def pause(self) -> None:
        """End the open line or block before other output."""
        ...

    def show_stopping(self) -> None:
        """Confirm the first Ctrl-C."""
        ...

    def show_end(self, last: Event | None) -> None:
        """Show how the run ended; `last` is None if it stopped before it began."""
        ...


class JsonRenderer:
    """JSON on stdout: every event on its own line, or only the last one."""

    def __init__(
        self,
        *,
        every_event: bool,
        to_json: Callable[[Event], Iterable[Mapping[str, Any]]] = lambda event: [as_json(event)],
    ) -> None:
        self._every_event, self._to_json = every_event, to_json

    def show_event(self, event: Event) -> None:
        """Print the event if all events are wanted."""
        if self._every_event:
            self._print(event)

    def pause(self) -> None:
        """Do nothing: each event is a whole line."""

    def show_stopping(self) -> None:
        """Confirm the first Ctrl-C on stderr: stdout is JSON."""
        echo(t("run.stopping"), err=True)

    def show_end(self, last: Event | None) -> None:
        """Print the last event, which describes the end in full."""
        if last is None or not self._every_event:
            self._print(last or Interrupted(""))

    def _print(self, event: Event) -> None:
        for line in self._to_json(event):
            echo_json(line, indent=None)


def create_text_renderer(
    *, show_thinking: bool = True, console: "Console | None" = None
) -> "TextRenderer":
    """Create the renderer of a run on this console: blocks at a terminal, else plain lines."""
    from .console import can_redraw, open_console

    console = console or open_console()
    if can_redraw(console):
        from .blocks.renderer import BlockRenderer

        return BlockRenderer(show_thinking=show_thinking, console=console)
    from .text_renderer import TextRenderer

    return TextRenderer(show_thinking=show_thinking, console=console)
