"""A run as text: roles, tool calls, diffs and the end on stderr; the result itself on stdout."""

from collections.abc import Mapping
from functools import singledispatchmethod
from typing import Any

from ..sdk import events as ev
from .diff_view import show_diff
from .i18n import t
from .screen import open_console, safe, styled

CALL_WIDTH = 120
OUTPUT_LINES = 12
"""Lines of a tool's output that are shown as it runs; the model and the thread have more."""


class TextRenderer:
    """Plain lines that are only ever appended, so pipes, logs and narrow windows read the same."""

    def __init__(self) -> None:
        self._console = open_console()
        self._calls: dict[str, str] = {}
        self._shown_lines: dict[str, int] = {}
        self._open_line = False
        self._thread_id = ""
        self._usage: ev.TokenUsage | None = None

    def show(self, event: ev.Event) -> None:
        """Show one event; kinds without a picture of their own are silent."""
        self._show(event)

    def stopping(self) -> None:
        """Say that the first Ctrl-C was heard."""
        self._line(t("run.stopping"), "yellow")

    def end(self, last: ev.Event | None) -> None:
        """Say what became of the thread and how to go on."""
        self._break()
        if self._usage:
            self._line(_spent(self._usage), "dim")
        if last is None or isinstance(last, ev.Interrupted):
            self._line(t("run.interrupted", thread=self._thread_id[:8]), "yellow")

    @singledispatchmethod
    def _show(self, event: ev.Event) -> None:
        return None

    @_show.register
    def _(self, event: ev.RunStarted) -> None:
        self._thread_id = event.thread_id
        key = "run.resumed" if event.resumed else "run.started"
        self._line(t(key, thread=event.thread_id[:8], model=event.model, mode=event.mode), "bold")
        self._line(f"{event.title}  ({event.folder})", "dim")

    @_show.register
    def _(self, event: ev.RoleStarted) -> None:
        self._break()
        self._line(f"\n{t(f'role.{event.role}')}", "bold cyan")

    @_show.register
    def _(self, event: ev.Thinking) -> None:
        self._piece(event.text, "dim italic")

    @_show.register
    def _(self, event: ev.Output) -> None:
        self._piece(event.text, "")

    @_show.register
    def _(self, event: ev.Retrying) -> None:
        self._line(t("run.retry", reason=event.reason, seconds=f"{event.seconds:.1f}"), "yellow")

    @_show.register
    def _(self, event: ev.TokenUsage) -> None:
        self._usage = event

    @_show.register
    def _(self, event: ev.ToolCall) -> None:
        self._calls[event.id] = f"{event.tool} {_arguments(event.args)}".rstrip()

    @_show.register
    def _(self, event: ev.ToolOutput) -> None:
        for line in event.text.splitlines():
            shown = self._shown_lines.get(event.id, 0)
            self._shown_lines[event.id] = shown + 1
            if shown < OUTPUT_LINES:
                self._line(f"    {line}", "dim")
            elif shown == OUTPUT_LINES:
                self._line("    …", "dim")

    @_show.register
    def _(self, event: ev.ToolResult) -> None:
        call = self._calls.pop(event.id, event.tool)
        mark, style = ("✓", "green") if event.ok else ("✗", "red")
        facts = _facts(event.metadata)
        self._line(f"  {mark} {call}{facts}", style if not event.ok else "")
        if event.error:
            self._line(f"    {event.error.splitlines()[0]}", "red")
        if diff := event.metadata.get("diff"):
            show_diff(self._console, str(diff), indent="    ")

    @_show.register
    def _(self, event: ev.Verifying) -> None:
        self._shown_lines.pop("verify", None)
        self._line(f"\n{t('role.tests')}  {event.command}", "bold cyan")

    @_show.register
    def _(self, event: ev.EvidenceFound) -> None:
        style = {"passed": "green", "failed": "red", "unverified": "yellow"}[event.verdict]
        self._line(f"  {t(f'verdict.{event.verdict}')}: {event.reason}", style)

    @_show.register
    def _(self, event: ev.Repair) -> None:
        self._line(t("run.repair", round=event.round, of=event.of), "yellow")

    @_show.register
    def _(self, event: ev.Notice) -> None:
        self._line(t("run.notice", text=event.text), "yellow")

    @_show.register
    def _(self, event: ev.Question) -> None:
        if event.kind == "limit":
            self._line(t("run.limit", thread=event.thread_id[:8]), "yellow")
            return
        for request in event.action_requests:
            shown = _arguments({k: v for k, v in request["args"].items() if k != "diff"})
            self._line(t("run.asks", name=request["name"], args=shown), "yellow")
        self._line(t("run.how_to_answer", thread=event.thread_id[:8]), "yellow")

    @_show.register
    def _(self, event: ev.Completion) -> None:
        self._break()
        if event.diff:
            self._line(f"\n{t('run.changes')}", "bold")
            show_diff(self._console, event.diff, indent="  ")
        style = {"verified": "bold green", "failed": "bold red"}.get(event.outcome, "bold yellow")
        self._line(f"\n{_ending(event)}", style)
        self._line(t("run.thread", thread=event.thread_id), "dim")
        if event.summary.strip():
            print(safe(event.summary.strip()), flush=True)

    @_show.register
    def _(self, event: ev.Failure) -> None:
        self._line(f"error: {event.message}", "bold red")
        if event.hint:
            self._line(f"hint: {event.hint}", "yellow")
        if event.thread_id:
            self._line(t("run.kept", thread=event.thread_id[:8]), "dim")

    def _line(self, text: str, style: str) -> None:
        self._break()
        self._console.print(styled(text, style))

    def _piece(self, text: str, style: str) -> None:
        self._console.print(styled(text, style), end="")
        self._open_line = not text.endswith("\n")

    def _break(self) -> None:
        if self._open_line:
            self._console.print()
            self._open_line = False


def _ending(event: ev.Completion) -> str:
    words = t(f"outcome.{event.outcome}")
    evidence = event.evidence
    if evidence and event.outcome != "undone":
        return f"{words}: {evidence['reason']} ({evidence['command'] or '-'})"
    return words


def _arguments(args: Mapping[str, Any]) -> str:
    """The call's arguments on one line: what names the thing first, long texts cut."""
    shown = " ".join(str(value).replace("\n", "⏎") for value in args.values() if value != "")
    return shown if len(shown) <= CALL_WIDTH else shown[: CALL_WIDTH - 1] + "…"


def _facts(metadata: Mapping[str, Any]) -> str:
    facts: list[str] = []
    if "added" in metadata:
        facts.append(f"+{metadata['added']} -{metadata.get('removed', 0)}")
    if metadata.get("timed_out"):
        facts.append(t("tool.timed_out"))
    elif "exit_code" in metadata:
        facts.append(t("tool.exit_code", code=metadata["exit_code"]))
    return f"  ({', '.join(facts)})" if facts else ""


def _spent(usage: ev.TokenUsage) -> str:
    share = round(100 * usage.cached / usage.input) if usage.input else 0
    words = t("run.tokens", input=f"{usage.input:,}", cached=share, output=f"{usage.output:,}")
    return words if usage.cost is None else f"{words} · ${usage.cost:.4f}"
