"""`--verbose`: each request's time and tokens, each retry, and tool results in full, on stderr."""

from rich.console import Console

from ...sdk import events as ev
from ..i18n.catalogs import t
from ..i18n.message_translation import translate
from ..i18n.stored_messages import translate_stored
from ..rendering.console import open_console, show_line, style_text
from ..rendering.humanize import format_cost
from ..rendering.renderer import Renderer
from ..rendering.sanitize import sanitize_line


class DetailView:
    """Prints what a renderer leaves out."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._count = 0
        """Answered requests of this run."""

    def show_event(self, event: ev.Event) -> None:
        """Print the details of one event; most kinds have none, and a sub-agent's are left out."""
        if ev.is_from_subagent(event):
            return
        match event:
            case ev.TokenUsage():
                self._count += 1
                show_line(self._console, _format_request(self._count, event), "dim")
            case ev.Retrying(reason=reason, attempt=attempt):
                reason_text = sanitize_line(translate(reason))
                show_line(
                    self._console, f"  {t('verbose.retry', count=attempt, why=reason_text)}", "dim"
                )
            case ev.ToolResult():
                self._show_result(event)
            case _:
                pass

    def _show_result(self, event: ev.ToolResult) -> None:
        show_line(self._console, f"  {t('verbose.result', tool=event.tool, id=event.id)}", "dim")
        for line in (event.output or translate_stored(event.error)).splitlines():
            self._console.print(style_text(f"    {line}", "dim"))


class VerboseRenderer:
    """Wraps another renderer, and prints the details after each of its events."""

    def __init__(self, renderer: Renderer, console: Console | None = None) -> None:
        self._renderer = renderer
        self._details = DetailView(console or open_console())

    def show_event(self, event: ev.Event) -> None:
        """Show one event and its details."""
        self._renderer.show_event(event)
        if ev.is_from_subagent(event):
            return
        if isinstance(event, (ev.TokenUsage, ev.Retrying, ev.ToolResult)):
            self._renderer.pause()
        self._details.show_event(event)

    def pause(self) -> None:
        """End the open line or block before other output."""
        self._renderer.pause()

    def show_stopping(self) -> None:
        """Confirm the first Ctrl-C."""
        self._renderer.show_stopping()

    def show_end(self, last: ev.Event | None) -> None:
        """Show how the run ended."""
        self._renderer.show_end(last)


def _format_request(number: int, event: ev.TokenUsage) -> str:
    """Describe the request that was answered last."""
    request = event.request
    cost, seconds = request.get("cost"), request.get("seconds") or 0.0
    words = t(
        "verbose.request",
        number=number,
        seconds=f"{seconds:.2f}",
        input=f"{request.get('input', 0):,}",
        cached=f"{request.get('cached', 0):,}",
        output=f"{request.get('output', 0):,}",
    )
    return f"  {words}" + ("" if cost is None else f" · {format_cost(cost)}")
