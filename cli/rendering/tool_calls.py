"""Tool calls as they run: the beginning and the end of what they write, then what came of each."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

from ...sdk import events as ev
from ..i18n.catalogs import t
from ..i18n.stored_messages import translate_stored
from .sanitize import sanitize_line
from .tool_summary import format_call, format_facts

# Lines of a tool's output that are shown as it runs; the model and the thread have more
FIRST_LINES = 6
# Those that are shown when it has ended: a program says at its end what is wrong
LAST_LINES = 8


@dataclass
class _CallOutput:
    """What one call has written so far."""

    rest: str = ""
    """A line that has not ended."""
    count: int = 0
    last: deque[str] = field(default_factory=lambda: deque[str](maxlen=LAST_LINES))
    """Lines that are not shown yet."""


class ToolView:
    """Shows calls by the two ways to write a line: as words of ours, and as a program's own."""

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
        """Id of the call whose output was shown last: its name stands above it."""
        self._asked: dict[str, str] = {}
        """Diffs that a question has shown, by the call's id."""

    @property
    def running_calls(self) -> list[str]:
        """The calls of which nothing has come yet, a line each."""
        return [f"  ▸ {call}" for call in self._calls.values()]

    def add_call(self, event: ev.ToolCall) -> None:
        """Keep what is called; it is shown with what comes of it."""
        self._calls[event.id] = format_call(event.tool, event.args)

    def add_shown_diffs(self, event: ev.Question) -> None:
        """Keep what the human has seen by now: it is not shown again after a yes."""
        for request in event.action_requests:
            self._asked[str(request.get("tool_call_id"))] = str(request.get("diff") or "")

    def show_output(self, event: ev.ToolOutput) -> None:
        """Show the first lines as they come."""
        written = self._written.setdefault(event.id, _CallOutput())
        *lines, written.rest = (written.rest + event.text).split("\n")
        for line in lines:
            self._add_line(event.id, written, line)

    def finish_output(self, call_id: str) -> bool:
        """Show the last lines, and how many there were in between; whether there were any."""
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
        """Show what came of a call."""
        has_output = self.finish_output(event.id)
        call = self._calls.pop(event.id, None) or format_call(event.tool, event.args)
        if has_output and self._speaker == event.id:
            call = event.tool  # the whole call stands above the output
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
        if diff and diff != self._asked.pop(event.id, ""):
            self._diff(diff)
        kept = event.metadata.get("backups") or {"": event.metadata.get("backup")}
        for file in filter(None, kept.values()):
            self._line(f"    {sanitize_line(t('tool.backup', file=file))}", "dim")

    def _add_line(self, call_id: str, written: _CallOutput, line: str) -> None:
        written.count += 1
        if written.count <= FIRST_LINES:
            self._show_call_name(call_id)
            self._verbatim(line)
        else:
            written.last.append(line)

    def _show_call_name(self, call_id: str) -> None:
        """Show the call above its output, and again where another one's came in between."""
        if call_id not in self._calls:  # after a resume, or the graph's own tests
            self._speaker = ""
        elif call_id != self._speaker:
            self._line(f"  ▸ {self._calls[call_id]}", "")
            self._speaker = call_id
