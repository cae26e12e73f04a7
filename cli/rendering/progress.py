"""Rows below the output: what a run waits for; each sub-agent and each attempt that works."""

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress

from rich.console import Console
from rich.text import Text

from ...sdk import events as ev
from ..i18n.catalogs import t
from .blocks.todos import format_row as format_todo_row
from .console import TransientRows, open_console, style_text
from .humanize import format_duration
from .renderer import Renderer
from .sanitize import sanitize_line
from .subagents.event_lines import has_moving_line
from .subagents.running_children import RunningChildren
from .tool_summary import format_call
from .turn_meter import TurnMeter

EVERY = 1.0  # seconds between two redraws, and of silence before the first
SOON = 0.05  # seconds of silence before rows that were there come back
PROGRESS_MARK = " · "
FINAL_EVENTS = (ev.Question, ev.Completion, ev.Interrupted, ev.Failure)
# They print nothing where calls are shown by rows of the moment
SILENT_EVENTS = (ev.ToolOutput, ev.ToolProgress)
STREAMED_EVENTS = (ev.Thinking, ev.Output, ev.ToolOutput, ev.Progress, ev.ToolProgress)


def format_progress(event: ev.Progress) -> str:
    """Describe how far the work is."""
    if event.task == "wait":
        return t("progress.wait", left=format_duration(event.total - event.done))
    return t(f"progress.{event.task}", done=f"{event.done:,}", total=f"{event.total:,}")


def format_tool_progress(event: ev.ToolProgress) -> str:
    """Describe how far a tool of a server is."""
    total = f"/{event.total:g}" if event.total else ""
    return sanitize_line(f"{event.progress:g}{total} {event.message}".strip())


class ProgressRenderer:
    """Wraps another renderer, and shows the row while that one has nothing to show."""

    def __init__(
        self,
        renderer: Renderer,
        console: Console | None = None,
        list_rows: Callable[[], list[Text]] | None = None,
    ) -> None:
        """Create it; `list_rows` returns what the other renderer has read, and its open calls."""
        self._renderer, self._list_rows = renderer, list_rows
        self._console = console or open_console()
        self._row = TransientRows(self._console)
        self._next_paint: asyncio.TimerHandle | None = None
        self._meter = TurnMeter()
        self._role = ""
        self._calls: dict[str, str] = {}
        self._children = RunningChildren()
        self._step = ""
        self._wait_until: float | None = None
        """When a wait ends, on the monotonic clock."""
        self._is_retry, self._todos = False, ""
        self._since = time.monotonic()

    def show_event(self, event: ev.Event) -> None:
        """Show one event, and the rows again a second later."""
        self._children.track_event(event)
        if has_moving_line(event) or (self._list_rows and isinstance(event, SILENT_EVENTS)):
            # it prints nothing; events of many would keep the rows from being painted
            self._track_event(event)
            self._renderer.show_event(event)
            if self._next_paint is None:
                self._schedule_paint()
            return
        self._clear_row()
        self._track_event(event)
        self._renderer.show_event(event)
        # streaming text shows progress by itself, and its last line may be incomplete
        if not isinstance(event, (*FINAL_EVENTS, ev.Thinking, ev.Output)):
            self._schedule_paint(SOON if self._list_rows and self._list_rows() else EVERY)

    def pause(self) -> None:
        """End the open line or block before other output."""
        self._clear_row()
        self._renderer.pause()

    def show_stopping(self) -> None:
        """Confirm the first Ctrl-C."""
        self._clear_row()
        self._renderer.show_stopping()

    def show_end(self, last: ev.Event | None) -> None:
        """Show how the run ended."""
        self._clear_row()
        self._renderer.show_end(last)

    def format_rows(self) -> list[str]:
        """Return a row for each sub-agent and attempt that works, and the run's own."""
        return [*self._children.format_lines(), self.format_row()]

    def format_row(self) -> str:
        """Return what the run waits for, the seconds, and the turn's tokens so far."""
        calls = list[str]() if self._list_rows else list(self._calls.values())
        *_, activity = (self._role or t("progress.model"), *calls)
        activity = self._format_wait() or self._step or activity
        parts = [activity, f"{time.monotonic() - self._since:.0f} s"]
        if self._list_rows:
            parts += [self._meter.format_usage(), self._todos]
        elif self._meter.tokens:
            parts.append(t("progress.tokens", count=f"{self._meter.tokens:,}"))
        return "  ⋯ " + " · ".join(filter(None, parts))

    def _format_wait(self) -> str:
        """Return how long the provider is still waited for; empty if it is not."""
        left = 0.0 if self._wait_until is None else self._wait_until - time.monotonic()
        if left <= 0:
            return ""
        key = "progress.retry" if self._is_retry else "progress.wait"
        return t(key, left=format_duration(left))

    def _track_event(self, event: ev.Event) -> None:
        self._meter.count_event(event)
        self._step = format_progress(event) if isinstance(event, ev.Progress) else ""
        self._wait_until, self._is_retry = None, False
        if ev.is_from_subagent(event):
            return
        match event:
            case ev.Retrying(seconds=seconds):
                self._wait_until = time.monotonic() + seconds
                self._is_retry = True
            case ev.Todos(items=items):
                self._todos = format_todo_row(items)
            case ev.Progress(task="wait", done=done, total=total):
                self._wait_until = time.monotonic() + total - done
            case ev.RoleStarted(role=role):
                self._role = t(f"role.{role}")
            case ev.ToolCall(id=call_id, tool=tool, args=args):
                self._calls[call_id] = format_call(tool, args)
            case ev.ToolProgress(id=call_id):
                call = self._calls.get(call_id, "").partition(PROGRESS_MARK)[0]
                self._calls[call_id] = f"{call}{PROGRESS_MARK}{format_tool_progress(event)}"
            case ev.ToolResult(id=call_id):
                self._calls.pop(call_id, None)
            case ev.Verifying(command=command):
                self._calls["verify"] = command
            case ev.EvidenceFound():
                self._calls.pop("verify", None)
            case ev.RunStarted():
                self._calls.clear()
            case _:
                pass
        if not isinstance(event, STREAMED_EVENTS):
            self._since = time.monotonic()

    def _schedule_paint(self, seconds: float = EVERY) -> None:
        with suppress(RuntimeError):  # without a loop there is no timer
            self._next_paint = asyncio.get_running_loop().call_later(seconds, self._paint_row)

    def _paint_row(self) -> None:
        rows: list[Text] = [style_text(line, "dim") for line in self.format_rows()]
        if self._list_rows:
            rows = [Text(), *self._list_rows(), *rows]
        for row in rows:
            row.truncate(self._console.width - 1, overflow="ellipsis")
        self._row.show_rows(rows)
        self._schedule_paint()

    def _clear_row(self) -> None:
        if self._next_paint:
            self._next_paint.cancel()
        self._next_paint = None
        self._row.show_rows([])
