"""Tool calls as they run: the first and last lines of their output, then their results."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from ...sdk import events as ev
from ..i18n.catalogs import t
from ..i18n.stored_messages import translate_stored
from .diffs.history import KEPT_DIFFS
from .sanitize import sanitize_line
from .tool_summary import format_call, format_facts

# First lines of a tool's output, shown as it runs; the model and the thread have more
FIRST_LINES = 6
# Last lines, shown when it has ended: a program prints its errors at the end
LAST_LINES = 8


@dataclass
class _CallOutput:
    """Output of one call so far."""

    rest: str = ""
    """The incomplete line."""
    count: int = 0
    last: deque[str] = field(default_factory=lambda: deque[str](maxlen=LAST_LINES))
    """Lines that are not shown yet."""


class CallView(Protocol):
    """Shows the calls of a run."""

    @property
    def running_calls(self) -> list[str]:
        """The calls without output or result so far, one line each."""
        ...

    def add_call(self, event: ev.ToolCall) -> None:
        """Keep the call to show it with its result."""
        ...

    def show_output(self, event: ev.ToolOutput) -> None:
        """Take in a piece of a call's output."""
        ...

    def finish_output(self, call_id: str) -> bool:
        """Show what is left of a call's output; return whether there was any."""
        ...

    def show_result(self, event: ev.ToolResult) -> None:
        """Show the result of a call."""
        ...


class ToolView:
    """Shows calls through two functions that write a line: our text, and a program's output."""

    def __init__(
        self,
        line: Callable[[str, str], None],
        verbatim: Callable[[str], None],
        diff: Callable[[str], None],
    ) -> None:
        self._line, self._verbatim, self._diff = line, verbatim, diff
        self._calls: dict[str, str] = {}
        self._written: dict[str, _CallOutput] = {}
        self._speaker = ""
        """Id of the call whose output was shown last, below its name."""

    @property
    def running_calls(self) -> list[str]:
        """The calls without output or result so far, one line each."""
        return [f"  ▸ {call}" for call in self._calls.values()]

    def add_call(self, event: ev.ToolCall) -> None:
        """Keep the call to show it with its result."""
        self._calls[event.id] = format_call(event.tool, event.args)

    def show_output(self, event: ev.ToolOutput) -> None:
        """Show the first lines as they arrive."""
        written = self._written.setdefault(event.id, _CallOutput())
        *lines, written.rest = (written.rest + event.text).split("\n")
        for line in lines:
            self._add_line(event.id, written, line)

    def finish_output(self, call_id: str) -> bool:
        """Show the last lines, and the count of those in between; return whether there were any."""
        written = self._written.pop(call_id, _CallOutput())
        if written.rest:
            self._add_line(call_id, written, written.rest)
        if written.last:
            self._show_call_name(call_id)
        left_out = written.count - FIRST_LINES - len(written.last)
        if left_out > 0:
            self._line(f"    … {t('tool.left_out', count=left_out)}", "dim")
        for line in written.last:
            self._verbatim(line)
        return written.count > 0

    def show_result(self, event: ev.ToolResult) -> None:
        """Show the result of a call."""
        has_output = self.finish_output(event.id)
        call = self._calls.pop(event.id, None) or format_call(event.tool, event.args)
        if has_output and self._speaker == event.id:
            call = event.tool  # the whole call is shown above the output
        self._speaker = ""
        refused, answered = event.metadata.get("refused"), event.metadata.get("answered")
        mark, style = ("✓", "") if event.ok else ("✗", "red")
        if answered:
            mark, style = "✗", "yellow"
        self._line(f"  {mark} {call}{format_facts(event.metadata)}", style)
        if refused is not None:
            why = sanitize_line(translate_stored(str(refused)))
            self._line(f"    {t('tool.refused_why', why=why) if why else t('tool.refused')}", "red")
        elif event.error:
            first, *more = event.error.splitlines()
            self._line(f"    {translate_stored(first)}", "red")
            for line in more[:FIRST_LINES] if first.endswith(":") else ():
                self._verbatim(line)
        if answered:
            words = t("tool.answered", answer=sanitize_line(event.output))
            self._line(f"    {words}", style)
        elif event.tool == "ask_user" and event.ok:
            self._line(f"    {t('tool.answer', answer=sanitize_line(event.output))}", "dim")
        diff = str(event.metadata.get("diff") or "")
        if diff and diff not in KEPT_DIFFS:
            self._diff(diff)
        backups = event.metadata.get("backups") or {"": event.metadata.get("backup")}
        for file in filter(None, backups.values()):
            self._line(f"    {sanitize_line(t('tool.backup', file=file))}", "dim")

    def _add_line(self, call_id: str, written: _CallOutput, line: str) -> None:
        written.count += 1
        if written.count <= FIRST_LINES:
            self._show_call_name(call_id)
            self._verbatim(line)
        else:
            written.last.append(line)

    def _show_call_name(self, call_id: str) -> None:
        """Show the call above its output, and again after the output of another one."""
        if call_id not in self._calls:  # after a resume, or the graph's own tests
            self._speaker = ""
        elif call_id != self._speaker:
            self._line(f"  ▸ {self._calls[call_id]}", "")
            self._speaker = call_id
