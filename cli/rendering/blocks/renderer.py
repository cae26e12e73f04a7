"""A run at a terminal: blocks with air, an answer as Markdown, calls in human words."""

import re
from collections.abc import Sequence
from functools import partial

from rich.console import Console
from rich.text import Text

from ....sdk import events as ev
from ....sdk.startup_notices import WARNINGS
from ...i18n.catalogs import t
from ...i18n.message_translation import translate, translate_notice
from ...i18n.stored_messages import translate_stored
from ..block_printer import EDGE, BlockPrinter
from ..console import (
    TransientRows,
    can_redraw,
    format_hint,
    open_console,
    style_sentence,
    style_text,
)
from ..diffs.layout import FOLDED_ROWS, fold_rows, render_file_head, render_totals
from ..diffs.output import join_diff_rows, render_diff
from ..diffs.parser import parse_diff
from ..event_text import describe_outcome, describe_review
from ..listings.threads import SHORT_ID
from ..output import echo
from ..sanitize import escape_hidden, sanitize_line
from ..subagents.event_lines import SubagentRows, build_attempt_table, is_in_attempt_table
from ..text_renderer import TextRenderer
from ..thinking_view import ShowRows, ThinkingView, build_thinking_block
from .calls import VERIFY, CallBlocks
from .folds import Fold, KeepFold
from .phrases import AnswerMarker
from .todos import TodoBlocks, TodoItems
from .user_message import build_user_message

VERDICT_STYLES = {"passed": "green", "failed": "red", "unverified": "yellow"}
# Files that the end names where their changes are too long to be shown; more are counted
MAX_FILES = 4
OUTCOME_STYLES = {"verified": "bold green", "passed": "green", "failed": "bold red"}


class BlockRenderer(TextRenderer):
    """Prints blocks and never redraws them; what runs is shown by `live_rows`."""

    def __init__(
        self,
        *,
        show_thinking: bool = True,
        console: Console,
        show_rows: ShowRows | None = None,
        keep_fold: KeepFold | None = None,
    ) -> None:
        """Create it; `show_rows` replaces the rows at the end of the terminal."""
        from ..markdown.live import AnswerView

        self._printer, self._keep_fold = BlockPrinter(console), keep_fold
        self._calls = CallBlocks(
            self._printer,
            self._print_diff,
            keep_fold,
            print_remark=self._print_remark,
            note_diff=lambda diff: self._shown_diffs.add(diff),
        )
        self._todos, self._marker = TodoBlocks(self._printer), AnswerMarker()
        self._children = SubagentRows()
        self._test_title = ""
        self._proven = ""
        """What the last tests said, which was shown."""
        self._compared = set[str]()
        """Why attempts are kept or not, which their table says."""
        self._reviewed = ""
        """The outcome that a review has shown."""
        self._show_rows = show_rows or TransientRows(console).show_rows
        super().__init__(
            show_thinking=show_thinking,
            console=console,
            answer=AnswerView(console, self._show_below, self._printer, self._calls.flush),
            thinking=ThinkingView(
                console,
                self._show_below,
                self._keep_thought if keep_fold else None,
                show_fold=self._calls.add_thought,
            ),
            tools=self._calls,
        )

    def show_event(self, event: ev.Event) -> None:
        """Show one event; what sub-agents do is shown below the call that has sent them."""
        if isinstance(event, ev.AttemptProgress):
            return  # it has a moving line, and a row of the table in the end
        if isinstance(event, ev.AttemptsCompared):
            self._meter.count_event(event)
            self._show_attempts(event)
            return
        if self._children.take_event(event):
            self._meter.count_event(event)
            return
        super().show_event(event)
        is_report = isinstance(event, ev.ToolResult) and event.tool == "subagent"
        if is_report or isinstance(event, (ev.Interrupted, ev.Failure, ev.Completion)):
            self._show_children()

    def _show_children(self) -> None:
        for row in self._children.take_rows(self._printer.width):
            self._printer.print_row(row)

    @property
    def live_rows(self) -> list[Text]:
        """What runs, and what was read since the last block, as rows of the moment."""
        return self._calls.live_rows

    def show_stopped(self) -> None:
        """Show what was running when the run was stopped."""
        self._finish_block()
        self._calls.show_stopped()

    def _show_own_event(self, event: ev.Event) -> None:
        match event:
            case ev.Output(text=text):
                self._show_text(self._marker.translate(text))
            case ev.TokenUsage() | ev.ToolCall():
                self._hold_remark()  # a group of reading calls goes on
                if isinstance(event, ev.ToolCall):
                    self._calls.add_call(event)
            case ev.RunStarted():
                self._show_start(event)
            case ev.ModeChanged():
                self._calls.plan = event.plan
                super()._show_own_event(event)
            case ev.RoleStarted(role=role):
                self._marker.expect(role)
                self._print_heading(t(f"role.{role}"))
            case ev.Steered(text=text):
                self._finish_block()
                self._printer.open_block()
                self._console.print(build_user_message(text, self._console.width))
            case ev.Todos(items=items):
                self._show_todos(items)
            case ev.Verifying(command=command, purpose=purpose):
                self._hold_remark()
                title = t(f"role.tests.{purpose}") if purpose else t("role.tests")
                if purpose != "before":  # it explains the run before it
                    self._test_title = f"{title}  {sanitize_line(escape_hidden(command))}"
                call = ev.ToolCall(VERIFY, "run_tests", {"command": command}, "")
                self._calls.add_call(call)
            case ev.EvidenceFound():
                self._show_evidence(event)
            case ev.Repair() if self._hold_repair(event):
                pass
            case ev.Notice(text=text) if is_in_attempt_table(text, self._compared):
                pass
            case ev.Notice(text=text):
                style = "yellow" if text.startswith(WARNINGS) else "dim"
                self._print_line(translate_notice(text), style)
            case ev.Question():
                super()._show_own_event(event)
                self._show_review(event)
            case ev.Retrying():
                self._show_retry(event)
            case ev.Completion():
                self._show_completion(event)
            case ev.Failure():
                self._show_failure(event)
            case _:
                super()._show_own_event(event)

    def _keep_thought(self, text: str) -> None:
        if self._keep_fold:
            self._keep_fold(Fold("thought", partial(build_thinking_block, text)))

    def _show_attempts(self, event: ev.AttemptsCompared) -> None:
        """Show all attempts at the task as a table."""
        self._finish_block()
        self._compared = {str(attempt["reason"]) for attempt in event.attempts}
        title = t("attempt.table", count=len(event.attempts))
        self._printer.print_head(Text(title, "bold"), bullet="green")
        for row in build_attempt_table(event, self._printer.width):
            self._printer.print_row(row)

    def _show_start(self, event: ev.RunStarted) -> None:
        """Show what is to be done, and with what; only what is new if the run goes on."""
        self._thread_id = event.thread_id
        head = (event.thread_id, event.model, event.mode, event.sandbox)
        if event.resumed and head == self._head:
            return
        self._head = head
        self._finish_block()
        self._printer.open_block()
        self._console.print(build_user_message(event.title, self._console.width))
        sandbox = translate_stored(event.sandbox.partition(":")[0])
        key = "run.began.resumed" if event.resumed else "run.began"
        mode, state = t(f"status.mode.{event.mode}"), t("run.sandbox", state=sandbox)
        line = t(key, model=event.model, mode=mode, sandbox=state)
        for fact in (line, event.folder):
            self._printer.print_rows(style_text(sanitize_line(fact), "dim"))

    def _show_evidence(self, event: ev.EvidenceFound) -> None:
        style = VERDICT_STYLES[event.verdict]
        reason = sanitize_line(translate_stored(event.reason))
        label = t("role.tests" if event.passed else f"verdict.{event.verdict}")
        verdict = t("labelled", label=label, said=reason)  # the counts say the verdict
        title, self._test_title = self._test_title, ""
        counts, *others = (part.strip() for part in re.split("[;；]", reason, maxsplit=1))
        if title and event.verdict == "failed":
            self._hold_remark()
            self._proven = event.reason
            self._calls.hold_tests(title, event, [counts, *others])
            return
        self._calls.note_passing_tests(event.command)
        self._finish_block()
        if not title:  # nothing has run
            self._print_verdict(verdict, event.verdict)
            return
        self._proven = event.reason
        if event.verdict == "passed":
            self._calls.drop_output(VERIFY)
            self._printer.print_head(style_text(title, "bold"), counts, bullet=style)
            for red in others:  # tests that failed before, and still do
                self._printer.print_rows(style_sentence(self._console, red, "dim"))
            return
        self._printer.print_head(style_text(title, "bold"), bullet=style)
        self._calls.finish_output(VERIFY, title=title)
        self._printer.print_rows(style_text(verdict, style))

    def _hold_repair(self, event: ev.Repair) -> bool:
        row = style_text(t("run.repair", round=event.round, of=event.of), "yellow")
        return self._calls.add_note(row, kind="note")

    def _show_completion(self, event: ev.Completion) -> None:
        self._finish_block()
        self._show_changes(self._shown_diffs.filter_unshown(event.diff))
        if event.outcome != self._reviewed:
            self._print_verdict(describe_outcome(event, self._proven), event.outcome)
        summary = event.summary.strip() if event.outcome != "undone" else ""
        if summary and self._prints_result():
            self._printer.open_block()
            self._print_result(summary)
            self._printer.open_block()
        elif summary:
            echo(summary)
        self._print_facts(len(event.files), is_kept=event.outcome != "undone")

    def _show_failure(self, event: ev.Failure) -> None:
        self._print_line(t("error.says", message=translate(event.message)), "bold red")
        if event.hint:
            for row in format_hint(self._console, translate(event.hint)):
                self._printer.print_rows(row)
        if event.thread_id:
            thread_line = t("run.kept", thread=event.thread_id[:SHORT_ID])
            self._printer.print_rows(style_text(thread_line, "dim"))

    def _show_review(self, event: ev.Question) -> None:
        """Show the verdict on which the user is asked, and what it took."""
        self._calls.note_question()
        for request in event.action_requests:
            if request["name"] == "review":
                args = request["args"]
                self._reviewed = str(args["outcome"])
                self._print_verdict(describe_review(args), self._reviewed)
                self._print_facts(len(parse_diff(str(args.get("diff") or ""))))

    def _print_verdict(self, text: str, outcome: str) -> None:
        style = OUTCOME_STYLES.get(outcome, "bold yellow")
        first, *others = re.split("[;；] *", text, maxsplit=1) if "green" in style else [text]
        self._printer.print_line(sanitize_line(first), style)
        for red in others:  # still red, as before the change
            self._printer.print_rows(style_sentence(self._console, sanitize_line(red), "dim"))

    def _print_facts(self, files: int, *, is_kept: bool = False) -> None:
        """Print time, cost, todos, files and thread on one row; what can follow on another."""
        facts = [
            self._todos.format_brief(),
            self._meter.format_brief() if self._meter.tokens else "",
            t("run.files", count=files) if files else "",
            t("run.thread", thread=self._thread_id[:SHORT_ID]) if self._thread_id else "",
        ]
        follow = t("run.next", thread=self._thread_id[:SHORT_ID]) if files and is_kept else ""
        for row in filter(None, [" · ".join(filter(None, facts)), follow]):
            self._printer.print_rows(style_sentence(self._console, row, "dim"))

    def _show_cost(self, last: ev.Event | None) -> None:
        is_review = isinstance(last, ev.Question) and last.kind == "review"
        if not isinstance(last, ev.Completion) and not is_review and self._meter.tokens:
            self._printer.open_block()
            if isinstance(last, ev.Question) and last.kind == "limit":
                self._thread_id = ""  # what is said of the limit names it
            self._print_facts(0)

    def _show_retry(self, event: ev.Retrying) -> None:
        """Say once why a request is repeated; a row of the moment counts the seconds."""
        if self._answer:
            self._answer.discard_tail()
        reason = sanitize_line(translate(event.reason))
        if event.attempt <= 1 or not event.seconds:
            self._finish_block()
            self._printer.print_line(reason, "dim", kind="quiet")

    def _prints_result(self) -> bool:
        """Return whether the result, on stdout, reaches this terminal."""
        return can_redraw(open_console(stderr=False))

    def _print_result(self, summary: str) -> None:
        from ..markdown.blocks import MarkdownBlock
        from ..markdown.layout import render_block

        console = open_console(stderr=False)
        for row in render_block(MarkdownBlock(summary), self._printer.width):
            console.print(Text.assemble(EDGE, row) if row else row)

    def _show_changes(self, diff: str) -> None:
        self._finish_block()
        if not diff:
            return
        self._print_heading(t("run.changes"))
        files = parse_diff(diff)
        lines = sum(len(hunk) for file in files for hunk in file.hunks)
        if len(files) == 1 or lines <= FOLDED_ROWS:
            self._print_folded(diff, has_name=True)
            return
        if len(files) > MAX_FILES:  # the steps have named them
            self._printer.print_row(render_totals(t("run.files", count=len(files)), files))
        for file in files if len(files) <= MAX_FILES else ():
            self._printer.print_row(render_file_head(file))
        if self._thread_id:
            hint = t("run.changes.all", thread=self._thread_id[:SHORT_ID])
            self._printer.print_rows(style_sentence(self._console, hint, "dim"))

    def _print_folded(self, diff: str, *, has_name: bool) -> None:
        rows = render_diff(diff, self._printer.width, has_name=has_name)
        shown_rows = fold_rows(rows, FOLDED_ROWS)
        if len(shown_rows) < len(rows) and self._keep_fold:
            self._keep_fold(Fold("diff", partial(join_diff_rows, diff)))
            shown_rows[-1].append(f" · {t('fold.key')}")
        for row in shown_rows:
            self._printer.print_row(row)

    def _print_diff(self, diff: str) -> None:
        """Print the diff of a call below its head, which names the file."""
        if self._plan and f"\n+++ b/{self._plan}\n" in diff:
            return
        self._print_folded(diff, has_name=diff.count("\n+++ ") > 1)

    def _print_heading(self, text: str) -> None:
        self._finish_block()
        self._printer.print_heading(style_text(text.strip(), "bold"))

    def _print_line(self, text: str, style: str) -> None:
        self._finish_block()
        kind = "" if style.startswith("bold") else "note"
        self._printer.print_line(text.strip("\n"), style, kind=kind)

    def _print_verbatim(self, line: str) -> None:
        self._finish_block()
        self._printer.print_rows(style_text(line, "dim"))

    def _show_todos(self, items: TodoItems) -> None:
        """Show the list, or how far it is between the steps that are held."""
        row = self._todos.take_known(items)
        self._hold_remark()
        if not (row and self._calls.add_note(row, kind="todos")):
            self._finish_block()
            self._todos.show(items, row)

    def _show_text(self, text: str) -> None:
        """Show a part of an answer."""
        if text.strip():
            self._calls.print_held_remark()
        if text and self._answer:
            self._close_line()
            self._answer.add_text(text)

    def _hold_remark(self) -> None:
        """Keep a short text for the row of reading calls; print any other."""
        self._show_text(self._marker.take_rest())
        remark = self._answer.take_remark() if self._answer else ""
        super()._finish_block()
        if remark:
            self._calls.hold_remark(remark)

    def _print_remark(self, text: str) -> None:
        if self._answer:
            self._answer.add_text(text)
            self._answer.finish_answer()

    def _show_below(self, rows: Sequence[Text]) -> None:
        """Show what arrives below what was read, which it may still belong to."""
        above = self._calls.held_rows if rows else []
        self._show_rows([Text(), *above, *rows] if above else rows)

    def _finish_block(self) -> None:
        self._show_text(self._marker.take_rest())
        super()._finish_block()
        self._calls.flush()
