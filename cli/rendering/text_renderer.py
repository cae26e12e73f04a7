"""A run as text: roles, tool calls, diffs and the end on stderr; the result itself on stdout."""

from functools import singledispatchmethod

from rich.console import Console

from ...config.security.redaction import redacted
from ...sdk import events as ev
from ..commands.threads.listing import SHORT_ID
from ..i18n.catalogs import t
from ..i18n.message_translation import told, told_notice
from .approval_request import show_arguments
from .console import open_console, show_line, styled
from .diff import ShownDiffs, show_diff
from .markdown.live import AnswerView, view_for
from .output import echo
from .sanitize import safe, safe_line
from .tool_calls import ToolView
from .tool_summary import call_line
from .turn_meter import TurnMeter
from .word_wrap import WordFlow

TODO_MARKS = {"completed": "x", "in_progress": ">", "cancelled": "-"}
NAME_SHOWN = 80
"""Letters of a name that somebody typed behind an `@`."""
FAILURE_LINES = 12
"""Lines of a red test run: it says at its end what is wrong."""


class TextRenderer:
    """Lines that are only ever appended, so pipes, logs and narrow windows read the same.

    At a terminal the model's answer is Markdown made readable; else it is the text as it comes.
    """

    def __init__(
        self,
        *,
        show_thinking: bool = True,
        console: Console | None = None,
        answer: AnswerView | None = None,
    ) -> None:
        self._show_thinking = show_thinking
        self._console = console or open_console()
        self._answer = answer or view_for(self._console)
        self._tools = ToolView(self._line, self._verbatim, self._diff)
        self._flow = WordFlow()
        self._open_line = ""
        self._thread_id = ""
        self._head = ("", "", "", "")
        """What the last header said: thread, model, mode and sandbox."""
        self._meter = TurnMeter()
        self._shown_diffs = ShownDiffs()
        self._plan = ""
        """Path of the plan in plan mode, which is shown whole when the model proposes it."""

    def show(self, event: ev.Event) -> None:
        """Show one event; kinds without a picture of their own are silent."""
        self._meter.count(event)
        self._show(event)

    @property
    def under_way(self) -> list[str]:
        """The calls that run, or wait to be allowed, a line each."""
        return self._tools.under_way

    def pause(self) -> None:
        """End the line or the block that is open: what comes next is something else."""
        self._break()

    def stopping(self) -> None:
        """Say that the first Ctrl-C was heard."""
        self._line(t("run.stopping"), "yellow")

    def end(self, last: ev.Event | None) -> None:
        """Say what became of the thread and how to go on."""
        self._break()
        if summary := self._meter.summary():
            self._line(summary, "dim")
        if isinstance(last, ev.Question):
            self._left_open(last)
        if last is None or isinstance(last, ev.Interrupted):
            key = "run.timed_out" if last and last.reason == "timeout" else "run.interrupted"
            self._line(t(key, thread=self._thread_id[:SHORT_ID]), "yellow")

    @singledispatchmethod
    def _show(self, event: ev.Event) -> None:
        return None

    @_show.register
    def _(self, event: ev.RunStarted) -> None:
        self._thread_id = event.thread_id
        head = (event.thread_id, event.model, event.mode, event.sandbox)
        if event.resumed and head == self._head:
            return  # an answer was given here, and the run goes on as it was
        self._head = head
        key = "run.resumed" if event.resumed else "run.started"
        words = {"model": event.model, "mode": event.mode, "sandbox": _confined(event.sandbox)}
        self._line(t(key, thread=event.thread_id[:SHORT_ID], **words), "bold")
        self._line(safe_line(f"{event.title}  ({event.folder})"), "dim")

    @_show.register
    def _(self, event: ev.RoleStarted) -> None:
        self._break()
        self._line(f"\n{t(f'role.{event.role}')}", "bold cyan")

    @_show.register
    def _(self, event: ev.ModeChanged) -> None:
        self._plan = event.plan
        mode = t(f"run.mode.{event.mode}", plan=safe_line(event.plan))
        named = "" if event.agent == event.mode else f"@{safe_line(event.agent)} · "
        self._line(f"{named}{mode}", "cyan")

    @_show.register
    def _(self, event: ev.Thinking) -> None:
        if self._show_thinking:
            self._piece(event.text, "dim italic")

    @_show.register
    def _(self, event: ev.Output) -> None:
        if self._answer:
            self._close_line()
            self._answer.add(event.text)
        else:
            self._piece(event.text, "")

    @_show.register
    def _(self, event: ev.Retrying) -> None:
        if self._answer:
            self._answer.forget()
        self._line(
            t("run.retry", reason=safe_line(told(event.reason)), seconds=f"{event.seconds:.1f}"),
            "yellow",
        )

    @_show.register
    def _(self, event: ev.ToolCall) -> None:
        self._tools.called(event)

    @_show.register
    def _(self, event: ev.ToolOutput) -> None:
        self._tools.wrote(event)

    @_show.register
    def _(self, event: ev.ToolResult) -> None:
        self._tools.answered(event)

    @_show.register
    def _(self, event: ev.Todos) -> None:
        for item in event.items:
            mark = TODO_MARKS.get(item.get("status", ""), " ")
            self._line(f"    [{mark}] {safe_line(str(item.get('content', '')))}", "dim")

    @_show.register
    def _(self, event: ev.Verifying) -> None:
        self._line(f"\n{t('role.tests')}  {safe_line(event.command)}", "bold cyan")

    @_show.register
    def _(self, event: ev.EvidenceFound) -> None:
        is_shown = self._tools.ended("verify")
        style = {"passed": "green", "failed": "red", "unverified": "yellow"}[event.verdict]
        if event.verdict == "failed" and not is_shown:
            for line in event.tail.splitlines()[-FAILURE_LINES:]:
                self._verbatim(line)
        verdict, reason = t(f"verdict.{event.verdict}"), safe_line(told(event.reason))
        self._line(f"  {t('labelled', label=verdict, said=reason)}", style)

    @_show.register
    def _(self, event: ev.Repair) -> None:
        self._line(t("run.repair", round=event.round, of=event.of), "yellow")

    @_show.register
    def _(self, event: ev.Mentioned) -> None:
        for key, names, style in (("shown", event.shown, "dim"), ("not", event.left_out, "yellow")):
            if names:
                listed = ", ".join(f"@{safe_line(name[:NAME_SHOWN])}" for name in names)
                self._line(t(f"mentioned.{key}", names=listed), style)

    @_show.register
    def _(self, event: ev.Notice) -> None:
        self._line(t("run.notice", text=told_notice(event.text)), "yellow")

    @_show.register
    def _(self, event: ev.Question) -> None:
        self._break()
        self._tools.asked(event)
        for request in event.action_requests:
            self._shown_diffs.add(str(request.get("diff") or ""))
        for request in event.action_requests:
            if request["name"] == "review":
                diff = str(request["args"].get("diff", ""))
                self._changes(diff)
                self._shown_diffs.add(diff)

    @_show.register
    def _(self, event: ev.Completion) -> None:
        self._changes(self._shown_diffs.unseen(event.diff))
        style = {"verified": "bold green", "failed": "bold red"}.get(event.outcome, "bold yellow")
        self._line(f"\n{_ending(event)}", style)
        self._line(t("run.thread", thread=event.thread_id), "dim")
        if event.summary.strip() and event.outcome != "undone":  # it speaks of what is gone
            echo(event.summary.strip())

    @_show.register
    def _(self, event: ev.Failure) -> None:
        self._line(t("error.says", message=told(event.message)), "bold red")
        if event.hint:
            self._line(t("error.hint", hint=told(event.hint)), "yellow")
        if event.thread_id:
            self._line(t("run.kept", thread=event.thread_id[:SHORT_ID]), "dim")

    def _left_open(self, question: ev.Question) -> None:
        """Say what waits and how to answer it from another shell."""
        thread = question.thread_id[:SHORT_ID]
        if question.kind == "limit":
            why = safe_line(told(question.description))
            self._line(t("run.limit", why=why, thread=thread), "yellow")
            return
        for request in question.action_requests:
            self._line(t("run.asks", call=call_line(request["name"], request["args"])), "yellow")
            if question.kind != "review":  # whose diff has been shown
                show_arguments(self._console, request)
        shown = question.id[:SHORT_ID]
        self._line(t("run.how_to_answer", thread=thread, question=shown), "yellow")
        if question.kind == "review":
            self._line(t("run.how_to_review"), "yellow")

    def _changes(self, diff: str) -> None:
        self._break()
        if diff:
            self._line(f"\n{t('run.changes')}", "bold")
            show_diff(self._console, diff, indent="  ")

    def _line(self, text: str, style: str) -> None:
        self._break()
        show_line(self._console, text, style)

    def _verbatim(self, line: str) -> None:
        """A line of a program's output, as it is."""
        self._break()
        self._console.print(styled(f"    {line}", "dim"))

    def _diff(self, diff: str) -> None:
        """What a call changed, below it."""
        if self._plan and f"\n+++ b/{self._plan}\n" in diff:
            return
        self._break()
        self._shown_diffs.add(diff)
        show_diff(self._console, diff, indent="    ")

    def _piece(self, text: str, style: str) -> None:
        """A piece of a text that goes on; another kind of text begins a line of its own."""
        if self._open_line != f"{style} ":
            self._break()
        shown = text
        if self._console.file.isatty() and not self._console.is_dumb_terminal:
            shown = self._flow.add(safe(redacted(text)), self._console.width)
        self._console.print(styled(shown, style), end="")
        self._open_line = "" if text.endswith("\n") else f"{style} "

    def _break(self) -> None:
        if self._answer:
            self._answer.end()
        self._close_line()

    def _close_line(self) -> None:
        if self._open_line:
            self._console.print(styled(self._flow.end(), self._open_line[:-1]))
            self._open_line = ""


def _ending(event: ev.Completion) -> str:
    words = t(f"outcome.{event.outcome}")
    if event.graph == "edit" and event.outcome != "undone":
        return t("outcome.edited") if event.files else t("outcome.unchanged")
    evidence = event.evidence
    if evidence and event.outcome != "undone":
        command = f" ({evidence['command']})" if evidence["command"] else ""
        proof = t("labelled", label=words, said=told(evidence["reason"]))
        return safe_line(f"{proof}{command}")
    return t("outcome.skipped") if event.outcome == "unverified" else words


def _confined(sandbox: str) -> str:
    """What confines commands; why nothing does is a notice of its own."""
    return t("run.sandbox", state=told(sandbox.partition(":")[0]))
