"""A run as text: roles, tool calls, diffs and the end on stderr; the result itself on stdout."""

from functools import singledispatchmethod
from typing import TYPE_CHECKING

from rich.console import Console

from ...sdk import events as ev
from ..i18n.catalogs import t
from ..i18n.message_translation import translate, translate_notice
from ..i18n.stored_messages import translate_stored
from .console import open_console, show_line, style_text
from .diffs.history import ShownDiffs
from .diffs.output import show_diff
from .event_text import describe_background_end, describe_card, describe_hook, describe_outcome
from .humanize import format_duration
from .listings.threads import SHORT_ID
from .output import echo_wrapped
from .sanitize import escape_hidden, sanitize_line, sanitize_text
from .subagents.event_lines import SubagentLines
from .thinking_view import ThinkingView, create_thinking_view
from .tool_calls import CallView, ToolView
from .turn_meter import TurnMeter
from .window.compaction import format_end, format_reset, format_start

if TYPE_CHECKING:
    from rich.text import Text

    from .markdown.live import AnswerView

TODO_MARKS = {"completed": "x", "in_progress": ">", "cancelled": "-"}
# Characters of a name after an `@`
NAME_SHOWN = 80
# Cards of one event that are shown in full
MAX_CARDS = 3
# Lines of a failed test run; the errors come last
FAILURE_LINES = 12


class TextRenderer:
    """Appends plain lines and never redraws, so that pipes and logs read the same.

    A terminal that can redraw gets blocks instead: see `BlockRenderer`.
    """

    def __init__(
        self,
        *,
        show_thinking: bool = True,
        console: Console | None = None,
        answer: "AnswerView | None" = None,
        thinking: ThinkingView | None = None,
        tools: "CallView | None" = None,
    ) -> None:
        self._show_thinking = show_thinking
        self._console = console or open_console()
        self._answer = answer
        self._thinking = thinking or create_thinking_view(self._console)
        self._tools: CallView = tools or ToolView(
            self._print_line, self._print_verbatim, self._print_diff
        )
        self._has_open_line = False
        self._thread_id = ""
        self._head = ("", "", "", "")
        """Content of the last header: thread, model, mode and sandbox."""
        self._meter = TurnMeter()
        self._subagents = SubagentLines()
        self._shown_diffs = ShownDiffs()
        self._plan = ""
        """Path of the plan in plan mode; the plan is shown in full when the model proposes it."""

    def show_event(self, event: ev.Event) -> None:
        """Show one event; kinds without an output, and a sub-agent's own, are silent."""
        self._meter.count_event(event)
        if line := self._subagents.format_line(event):
            self._print_line(line, "dim")
        if line or ev.is_from_subagent(event):
            return
        if not isinstance(event, ev.Thinking):
            self._thinking.finish()
        self._show_own_event(event)

    @property
    def running_calls(self) -> list[str]:
        """The calls that run, or wait for approval, one line each."""
        return self._tools.running_calls

    @property
    def live_rows(self) -> "list[Text]":
        """What runs, as rows of the moment; none where rows cannot be removed again."""
        return []

    def pause(self) -> None:
        """End the open line or block before other output."""
        self._finish_block()

    def show_stopping(self) -> None:
        """Confirm the first Ctrl-C."""
        self._print_line(t("run.stopping"), "yellow")

    def show_end(self, last: ev.Event | None) -> None:
        """Show how the run ended and how to continue."""
        self._finish_block()
        self._show_cost(last)
        if isinstance(last, ev.Question):
            from .open_question import show_open_question

            for question in ev.list_questions(last):
                show_open_question(self._console, question)
        if last is None or isinstance(last, ev.Interrupted):
            key = "run.timed_out" if last and last.reason == "timeout" else "run.interrupted"
            self._print_line(t(key, thread=self._thread_id[:SHORT_ID]), "yellow")

    def _show_cost(self, last: ev.Event | None) -> None:
        if summary := self._meter.format_summary():
            self._print_line(summary, "dim")

    def _show_own_event(self, event: ev.Event) -> None:
        """Show an event of the main agent."""
        self._render_event(event)

    @singledispatchmethod
    def _render_event(self, event: ev.Event) -> None:
        return None

    @_render_event.register
    def _(self, event: ev.RunStarted) -> None:
        self._thread_id = event.thread_id
        head = (event.thread_id, event.model, event.mode, event.sandbox)
        if event.resumed and head == self._head:
            return  # it was answered here, and the run continues unchanged
        self._head = head
        key = "run.resumed" if event.resumed else "run.started"
        words = {
            "model": event.model,
            "mode": event.mode,
            # a missing sandbox has its own notice
            "sandbox": t("run.sandbox", state=translate_stored(event.sandbox.partition(":")[0])),
        }
        self._print_line(t(key, thread=event.thread_id[:SHORT_ID], **words), "bold")
        self._print_line(sanitize_line(f"{event.title}  ({event.folder})"), "dim")

    @_render_event.register
    def _(self, event: ev.RoleStarted) -> None:
        self._finish_block()
        self._print_line(f"\n{t(f'role.{event.role}')}", "bold")

    @_render_event.register
    def _(self, event: ev.ModeChanged) -> None:
        self._plan = event.plan
        mode = t(f"run.mode.{event.mode}", plan=sanitize_line(event.plan))
        named = "" if event.agent == event.mode else f"@{sanitize_line(event.agent)} · "
        self._print_line(f"{named}{mode}", "dim")

    @_render_event.register
    def _(self, event: ev.TokenUsage) -> None:
        self._finish_block()  # the answer is complete, another may follow at once

    @_render_event.register
    def _(self, event: ev.Steered) -> None:
        self._finish_block()
        self._print_line(f"\n› {sanitize_text(event.text)}", "bold")

    @_render_event.register
    def _(self, event: ev.Thinking) -> None:
        if self._show_thinking:
            if self._answer:
                self._answer.finish_answer()
            self._close_line()
            self._thinking.add_text(event.text)

    @_render_event.register
    def _(self, event: ev.Output) -> None:
        if self._answer:
            self._close_line()
            self._answer.add_text(event.text)
        else:
            self._print_text(event.text)

    @_render_event.register
    def _(self, event: ev.Retrying) -> None:
        if self._answer:
            self._answer.discard_tail()
        words = sanitize_line(translate(event.reason))
        if event.seconds:
            words = t("run.retry", reason=words, seconds=f"{event.seconds:.1f}")
        self._print_line(words, "yellow")

    @_render_event.register
    def _(self, event: ev.Progress) -> None:
        if event.task == "wait" and not event.done:
            self._print_line(t("progress.wait", left=format_duration(event.total)), "yellow")

    @_render_event.register
    def _(self, event: ev.ModelChanged) -> None:
        if self._answer:
            self._answer.discard_tail()
        from .approval_request import format_model_change

        self._print_line(sanitize_line(format_model_change(ev.as_json(event))), "yellow")

    @_render_event.register
    def _(self, event: ev.ToolCall) -> None:
        self._tools.add_call(event)

    @_render_event.register
    def _(self, event: ev.ToolOutput) -> None:
        self._tools.show_output(event)

    @_render_event.register
    def _(self, event: ev.ToolResult) -> None:
        self._tools.show_result(event)

    @_render_event.register
    def _(self, event: ev.HookFinished) -> None:
        if event.outcome in ("refused", "asked"):
            self._print_line(describe_hook(event), "yellow")

    @_render_event.register
    def _(self, event: ev.BackgroundFinished) -> None:
        self._print_line(describe_background_end(event), "dim")

    @_render_event.register
    def _(self, event: ev.Todos) -> None:
        for item in event.items:
            mark = TODO_MARKS.get(item.get("status", ""), " ")
            self._print_line(f"    [{mark}] {sanitize_line(str(item.get('content', '')))}", "dim")

    @_render_event.register
    def _(self, event: ev.Verifying) -> None:
        title = t(f"role.tests.{event.purpose}") if event.purpose else t("role.tests")
        self._print_line(f"\n{title}  {sanitize_line(escape_hidden(event.command))}", "bold")

    @_render_event.register
    def _(self, event: ev.EvidenceFound) -> None:
        is_shown = self._tools.finish_output("verify")
        style = {"passed": "green", "failed": "red", "unverified": "yellow"}[event.verdict]
        if event.verdict == "failed" and not is_shown:
            for line in event.tail.splitlines()[-FAILURE_LINES:]:
                self._print_verbatim(line)
        verdict, reason = (
            t(f"verdict.{event.verdict}"),
            sanitize_line(translate_stored(event.reason)),
        )
        self._print_line(f"  {t('labelled', label=verdict, said=reason)}", style)

    @_render_event.register
    def _(self, event: ev.Repair) -> None:
        self._print_line(t("run.repair", round=event.round, of=event.of), "yellow")

    @_render_event.register
    def _(self, event: ev.Mentioned) -> None:
        for key, names, style in (("shown", event.shown, "dim"), ("not", event.left_out, "yellow")):
            if names:
                name_list = ", ".join(f"@{sanitize_line(name[:NAME_SHOWN])}" for name in names)
                self._print_line(t(f"mentioned.{key}", names=name_list), style)

    @_render_event.register
    def _(self, event: ev.MemoryShown) -> None:
        for card in event.cards[:MAX_CARDS]:
            self._print_line(t("memory.event.shown", **describe_card(card)), "dim")
        if (rest := len(event.cards) - MAX_CARDS) > 0:
            self._print_line(t("memory.event.more", count=rest), "dim")

    @_render_event.register
    def _(self, event: ev.CardProposed) -> None:
        self._print_line(t("memory.event.proposed", **describe_card(event.card)), "cyan")

    @_render_event.register
    def _(self, event: ev.CompactionStarted) -> None:
        self._finish_block()
        self._print_line(format_start(event), "dim")

    @_render_event.register
    def _(self, event: ev.CompactionFinished) -> None:
        for line in format_end(event):
            if line.startswith(" "):  # of the summary
                self._print_verbatim(line)
            else:
                self._print_line(line, "dim")

    @_render_event.register
    def _(self, event: ev.CacheReset) -> None:
        if words := format_reset(event):
            self._print_line(words, "dim")

    @_render_event.register
    def _(self, event: ev.Notice) -> None:
        self._print_line(t("run.notice", text=translate_notice(event.text)), "yellow")

    @_render_event.register
    def _(self, event: ev.PullRequestOpened) -> None:
        self._print_line(t("run.pull_request", number=event.number, url=event.url), "bold green")

    @_render_event.register
    def _(self, event: ev.Question) -> None:
        self._finish_block()
        for request in event.action_requests:
            if request["name"] == "review":
                diff = str(request["args"].get("diff", ""))
                self._show_changes(diff)
                self._shown_diffs.add(diff)

    @_render_event.register
    def _(self, event: ev.Completion) -> None:
        self._show_changes(self._shown_diffs.filter_unshown(event.diff))
        style = {"verified": "bold green", "failed": "bold red"}.get(event.outcome, "bold yellow")
        self._print_line(f"\n{describe_outcome(event)}", style)
        self._print_line(t("run.thread", thread=event.thread_id), "dim")
        if event.summary.strip() and event.outcome != "undone":  # it describes undone work
            echo_wrapped(event.summary.strip())

    @_render_event.register
    def _(self, event: ev.Failure) -> None:
        self._print_line(t("error.says", message=translate(event.message)), "bold red")
        if event.hint:
            self._print_line(t("error.hint", hint=translate(event.hint)), "yellow")
        if event.thread_id:
            self._print_line(t("run.kept", thread=event.thread_id[:SHORT_ID]), "dim")

    def _show_changes(self, diff: str) -> None:
        self._finish_block()
        if diff:
            self._print_line(f"\n{t('run.changes')}", "bold")
            show_diff(self._console, diff, indent="  ")

    def _print_line(self, text: str, style: str) -> None:
        self._finish_block()
        show_line(self._console, text, style)

    def _print_verbatim(self, line: str) -> None:
        """Print a line of a program's output unchanged."""
        self._finish_block()
        self._console.print(style_text(f"    {line}", "dim"))

    def _print_diff(self, diff: str) -> None:
        """Print the diff of a call below it."""
        if self._plan and f"\n+++ b/{self._plan}\n" in diff:
            return
        self._finish_block()
        self._shown_diffs.add(diff)
        show_diff(self._console, diff, indent="    ")

    def _print_text(self, text: str) -> None:
        """Print a piece of streaming text."""
        self._console.print(style_text(text, ""), end="")
        self._has_open_line = not text.endswith("\n")

    def _finish_block(self) -> None:
        self._thinking.finish()
        if self._answer:
            self._answer.finish_answer()
        self._close_line()

    def _close_line(self) -> None:
        if self._has_open_line:
            self._console.print()
            self._has_open_line = False
