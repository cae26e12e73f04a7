"""Tool calls at a terminal: a block for what changes or runs, one row for calls that read.

Steps that follow each other are held, and shown by `live_rows`, until another block begins: then
it is known whether they are few, or many that are folded.
"""

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from rich.text import Text

from ....sdk import events as ev
from ...i18n.catalogs import get_language, t
from ...i18n.stored_messages import translate_stored
from ..block_printer import SPEECH, BlockPrinter
from ..console import style_text
from ..diffs.history import KEPT_DIFFS
from ..humanize import format_duration
from ..line_breaks import TAB
from ..sanitize import sanitize_line
from .folds import KeepFold, add_key_hint, fold_lines
from .output_fold import LINE_ROWS, OutputFold, layout_output
from .phrases import describe_call
from .reading_group import ReadingGroup, is_reading
from .step_group import FULL_EFFECTS, FULL_ROWS, MAX_EFFECTS, Step, StepGroup

# The id of the output of the graph's own tests
VERIFY = "verify"
# Least seconds of a call that are worth a note at the right
SHOWN_SECONDS = 0.95
DONE, FAILED, ASKED, QUIET = "green", "red", "yellow", "dim"


@dataclass
class _OpenCall:
    """A call without a result."""

    tool: str
    args: Mapping[str, Any]
    start_time: float | None
    """None: not known, since the user was asked meanwhile."""
    output: OutputFold


class CallBlocks:
    """Prints calls when they have ended; what runs is shown by `live_rows`."""

    def __init__(
        self,
        printer: BlockPrinter,
        print_diff: Callable[[str], None],
        keep_fold: KeepFold | None = None,
        clock: Callable[[], float] = time.monotonic,
        print_remark: Callable[[str], None] | None = None,
        note_diff: Callable[[str], None] | None = None,
    ) -> None:
        """Create it; `note_diff` is told which diffs are shown in full, and stay."""
        self._printer, self._print_diff, self._clock = printer, print_diff, clock
        self._print_remark, self._note_diff = print_remark, note_diff
        self.plan = ""
        """Path of the plan file, which is not named again."""
        self._remark = ""
        """A remark of the model: it is folded if a call that reads follows."""
        self._keep_fold = keep_fold
        self._open: dict[str, _OpenCall] = {}
        self._group = StepGroup()
        self._full_effects, self._full_rows = FULL_EFFECTS, FULL_ROWS
        """What of this turn may still be shown in full."""

    @property
    def running_calls(self) -> list[str]:
        """The calls without a result so far, one line each."""
        return [_format_open(call) for call in self._open.values()]

    @property
    def live_rows(self) -> list[Text]:
        """The last steps since another block, and what runs, with the end of its output."""
        rows = self.held_rows
        if rows and self._open and self._group.effects:
            rows.append(Text())
        for call in self._open.values():
            row = style_text(f"◦ {_format_open(call)}", "")
            row.truncate(self._printer.width, overflow="ellipsis")
            rows.append(row)
            rows += [_build_output_row(line) for line in call.output.list_live_rows()]
        return rows

    @property
    def held_rows(self) -> list[Text]:
        """The last steps since another block, and what the model said of them."""
        rows = self._group.list_live_rows(self._printer.width)
        if self._remark:
            if rows:
                rows.append(Text())
            row = SPEECH + style_text(self._remark, "")  # an answer, unless a call follows
            row.truncate(self._printer.width, overflow="ellipsis")
            rows.append(row)
        return rows

    def add_call(self, event: ev.ToolCall) -> None:
        """Keep the call to show it with its result, and the remark before a change."""
        if self._remark and not is_reading(event.tool, event.args):
            self._keep_remark()
        self._open[event.id] = self._create_call(event.tool, event.args)

    def hold_remark(self, text: str) -> None:
        """Hold a remark until it is known what follows."""
        self.print_held_remark()
        self._remark = text

    def print_held_remark(self) -> None:
        """Print the remark that no call has followed."""
        if self._remark:
            self.flush()

    def _create_call(self, tool: str, args: Mapping[str, Any]) -> _OpenCall:
        output = OutputFold(keeps_all=self._keep_fold is not None)
        return _OpenCall(tool, args, self._clock(), output)

    def _keep_remark(self) -> None:
        if self._remark:
            self._group.items.append(self._remark)
        self._remark = ""

    def add_thought(self, seconds: int) -> None:
        """Count a thought that was folded."""
        self._group.reading.add_thought(seconds)

    def add_note(self, row: Text, *, kind: str) -> bool:
        """Hold a row between steps; return whether there are any; one of todos has its own sign."""
        has_effects = bool(self._group.effects)
        if has_effects:
            with self._printer.record() as rows:
                self._printer.print_head(row, bullet=None if kind == "todos" else QUIET)
            self._keep_remark()
            self._group.items.append(Step(rows, kind))
        return has_effects

    def show_output(self, event: ev.ToolOutput) -> None:
        """Keep output until its call has ended."""
        if event.id not in self._open:  # after a resume, or the graph's own tests
            self._open[event.id] = self._create_call("run_tests", {})
        self._open[event.id].output.add_text(event.text)

    def hold_tests(self, title: str, event: ev.EvidenceFound, reasons: Sequence[str]) -> None:
        """Hold a red run of the graph's own tests as a step: a later run takes its place."""
        self._keep_remark()
        call = self._open.pop(VERIFY, None) or self._create_call("run_tests", {})
        if not call.output.list_live_rows():
            call.output.add_text(event.tail)
        with self._printer.record() as rows:
            self._printer.print_head(style_text(title, "bold"), reasons[0], bullet=FAILED)
            for reason in reasons[1:]:
                self._printer.print_rows(style_text(reason, FAILED))
            self._print_output(call.output, title, ok=False)
        phrase, lines = describe_call("run_tests", {"command": event.command}), call.output.lines
        step = Step(rows, "", phrase, ok=False, outcome=reasons[0], output=tuple(lines))
        self._group.items.append(step)

    def note_passing_tests(self, command: str) -> None:
        """Note that the tests pass now which are held as red."""
        phrase = describe_call("run_tests", {"command": command})
        if any(effect == phrase for effect, _ in self._group.effects):
            self._group.items.append(Step((), "", phrase))

    def finish_output(self, call_id: str, *, title: str = "", ok: bool = True) -> bool:
        """Print the output of a call that is shown by itself; return whether there was any."""
        call = self._open.pop(call_id, None)
        return call is not None and self._print_output(call.output, title, ok=ok)

    def drop_output(self, call_id: str) -> None:
        """Leave out the output of a call that is shown by itself."""
        self._open.pop(call_id, None)

    def note_question(self) -> None:
        """Do not count the time that a user thinks as that of the calls in question."""
        for call in self._open.values():
            call.start_time = None

    def flush(self, *, is_over: bool = True) -> None:
        """Print the steps and a remark: another block follows."""
        group, self._group = self._group, StepGroup()
        remark, self._remark = self._remark, ""
        effects, rows = len(group.effects), group.count_rows(self._printer.width)
        if not effects or effects <= self._full_effects or rows <= self._full_rows:
            for item in group.items:
                self._print_item(item)
            self._full_rows -= rows
        else:
            seconds = sum(step.seconds for _, step in group.effects)
            duration = _format_seconds(seconds)
            group.print_folded(self._printer, self._keep_fold, duration, is_over=is_over)
        self._full_effects -= effects
        if remark and self._print_remark:
            self._print_remark(remark)

    def _print_item(self, item: ReadingGroup | Step | str) -> None:
        if isinstance(item, ReadingGroup):
            self._print_reading(item)
        elif isinstance(item, Step):
            if item.rows:
                self._printer.print_block(item.rows, item.kind)
            if item.diff and self._note_diff:
                self._note_diff(item.diff)
        elif self._print_remark:
            self._print_remark(item)

    def _print_reading(self, group: ReadingGroup) -> None:
        if not group:
            return
        row = group.format_row(self._printer.width)
        is_folded = group.is_counted or bool(group.remark)
        if is_folded or group.has_thoughts_only:
            row = add_key_hint(row, self._keep_fold)
        if is_folded and self._keep_fold:
            self._keep_fold(fold_lines("calls", row, group.list_calls()))
        style = QUIET if group.has_thoughts_only else ""
        right = _format_seconds(group.seconds)
        self._printer.print_head(style_text(row, style), right, bullet=QUIET, kind="quiet")

    def show_result(self, event: ev.ToolResult) -> None:
        """Show the result of a call."""
        call = self._open.pop(event.id, None) or self._create_call(event.tool, event.args)
        command = str(call.args.get("command") or "")
        if call.output.has_passed(command, event.metadata.get("exit_code")):
            event = replace(event, ok=True)
        begin = self._clock() if call.start_time is None else call.start_time
        seconds = event.metadata.get("duration_s") or self._clock() - begin
        if event.ok and not event.metadata.get("answered") and is_reading(call.tool, call.args):
            if self._remark:
                self._group.reading.add_remark(self._remark)
                self._remark = ""
            self._group.reading.add_call(call.tool, call.args, seconds)
            return
        if event.ok and call.tool in SILENT_TOOLS:
            return
        self._keep_remark()
        if _is_for_model(event):
            self._hold_error_row(call, event)
        elif _is_foldable(call, event):
            self._hold_step(call, event, seconds)
        else:
            self.flush()
            self._print_block(call, event, seconds)

    def _hold_step(self, call: _OpenCall, event: ev.ToolResult, seconds: float) -> None:
        """Hold a call that changes or runs; many of them are folded at once."""
        with self._printer.record() as rows:
            diff = self._print_block(call, event, seconds)
        outcome = call.output.summary or _format_exit(event.metadata)
        phrase, lines = describe_call(call.tool, call.args), tuple(call.output.lines)
        step = Step(rows, "", phrase, event.ok, outcome, seconds, diff, lines)
        self._group.items.append(step)
        if len(self._group.effects) >= MAX_EFFECTS:
            self.flush(is_over=False)

    def show_stopped(self) -> None:
        """Show the calls that were stopped, with their output so far."""
        self.flush()
        for call in self._open.values():
            phrase = describe_call(call.tool, call.args)
            head = Text.assemble((phrase.infinitive, "bold"), " ", style_text(phrase.subject, ""))
            self._printer.print_head(head, t("call.stopped"), bullet=ASKED)
            self._print_output(call.output, head.plain, ok=False)
        self._open.clear()

    def _print_block(self, call: _OpenCall, event: ev.ToolResult, seconds: float) -> str:
        """Print the call with its output; return the diff that nobody has seen before."""
        phrase = describe_call(call.tool, call.args)
        facts = event.metadata
        is_answer = bool(facts.get("answered"))
        has_run = event.ok or "exit_code" in facts
        verb = phrase.done if has_run and not is_answer else phrase.infinitive
        subject = (
            t("call.plan.file") if self.plan and phrase.subject == self.plan else phrase.subject
        )
        head = Text.assemble((verb, "bold"), " ", style_text(subject, ""), _format_lines(facts))
        summary = call.output.summary
        facts_at_right = [summary or _format_exit(facts), _format_seconds(seconds)]
        right = " · ".join(filter(None, facts_at_right))
        bullet = ASKED if is_answer else DONE if event.ok else FAILED
        self._printer.print_head(head, right, bullet=bullet)
        if not (event.ok and summary):
            self._print_output(call.output, f"{verb} {phrase.subject}", ok=event.ok)
        self._print_answer(event)
        diff = str(facts.get("diff") or "")
        if diff in KEPT_DIFFS:
            diff = ""
        if diff:
            self._print_diff(diff)
        backups = facts.get("backups") or {"": facts.get("backup")}
        for file in filter(None, backups.values()):
            self._printer.print_rows(style_text(t("tool.backup", file=file), QUIET))
        return diff

    def _print_answer(self, event: ev.ToolResult) -> None:
        """Print what the user said to the call."""
        refused = event.metadata.get("refused")
        if refused is not None:
            why = sanitize_line(translate_stored(str(refused)))
            text = t("tool.refused_why", why=why) if why else t("tool.refused")
            self._printer.print_rows(style_text(text, FAILED))
        elif event.metadata.get("answered"):
            text = t("tool.answered", answer=sanitize_line(event.output))
            self._printer.print_rows(style_text(text, ASKED))
        elif event.tool == "ask_user" and event.ok:
            text = t("tool.answer", answer=sanitize_line(event.output))
            self._printer.print_rows(style_text(text, QUIET))
        elif event.metadata.get("timed_out"):
            self._printer.print_rows(style_text(t("tool.timed_out"), FAILED))

    def _hold_error_row(self, call: _OpenCall, event: ev.ToolResult) -> None:
        """Hold an error that the model mends by itself as one dim row."""
        phrase = describe_call(call.tool, call.args)
        first = translate_stored(event.error.partition("\n")[0]).rstrip(":：")
        first = first.partition("; ")[0].replace("`", "")  # what follows is advice to the model
        call_text = f"{phrase.infinitive} {phrase.subject}".rstrip()
        is_foreign = first.isascii() and get_language() != "en"  # no translation
        if is_foreign or _FOR_MODEL.search(first):
            first = t("call.failed.for_model")
        text = t("call.failed", call=call_text, why=first)
        with self._printer.record() as rows:
            self._printer.print_head(style_text(sanitize_line(text), QUIET), bullet=QUIET)
        self._group.items.append(Step(rows, "quiet"))

    def _print_output(self, output: OutputFold, title: str, *, ok: bool) -> bool:
        first, hidden, last = output.finish(ok=ok)
        key = "tool.left_out" if first else "tool.left_out.earlier"
        note = f"… {t(key, count=hidden)}" if hidden else ""
        note = add_key_hint(note, self._keep_fold) if note else ""
        line_rows = 1 if output.summary and not ok else LINE_ROWS
        rows, is_cut = layout_output(first, note, last, self._printer.width, line_rows=line_rows)
        for row in rows:
            self._printer.print_row(row)
        if note or is_cut:
            self._keep_output(title, output)
        return bool(rows)

    def _keep_output(self, title: str, output: OutputFold) -> None:
        if self._keep_fold:
            self._keep_fold(fold_lines("output", title, output.lines))


# Words of an error that only a model understands: of a wrong argument, or of the graph's rules
_FOR_MODEL = re.compile(
    r"^Call \S+ alone:|\bInput should be\b|\b[Ff]ield required\b|\bvalidation error"
)
# Calls that have blocks of their own: the list of todos, the end of the job
SILENT_TOOLS = frozenset({"todowrite", "todoread", "todoclear", "attempt_completion"})


# Verbs of the calls that are held with others, and folded if they are many
FOLDABLE_VERBS = frozenset({"edit", "write", "run", "use", "stop"})


def _is_foldable(call: _OpenCall, event: ev.ToolResult) -> bool:
    """Return whether nobody has said anything to the call."""
    is_answered = {"refused", "answered"} & event.metadata.keys()
    return not is_answered and describe_call(call.tool, call.args).verb in FOLDABLE_VERBS


def _is_for_model(event: ev.ToolResult) -> bool:
    """Return whether it is an error of the call itself, which neither ran nor was denied."""
    facts = event.metadata
    return not event.ok and not {"refused", "answered", "exit_code", "timed_out"} & facts.keys()


def _format_open(call: _OpenCall) -> str:
    phrase = describe_call(call.tool, call.args)
    return f"{phrase.infinitive} {phrase.subject} …"


def _build_output_row(line: str) -> Text:
    return style_text(f"  {line.expandtabs(TAB)}", QUIET)


def _format_lines(facts: Mapping[str, Any]) -> Text:
    """Return the counts of added and removed lines."""
    if "added" not in facts:
        return Text()
    return Text.assemble(
        "  ", (f"+{facts['added']}", "green"), " ", (f"−{facts.get('removed', 0)}", "red")
    )


def _format_exit(facts: Mapping[str, Any]) -> str:
    if "background" in facts and "state" not in facts:
        return t("tool.background", id=facts["background"])
    code = facts.get("exit_code")
    return t("tool.exit_code", code=code) if code and not facts.get("timed_out") else ""


def _format_seconds(seconds: float) -> str:
    return format_duration(seconds) if seconds >= SHOWN_SECONDS else ""
