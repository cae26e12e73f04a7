"""Tool calls at a terminal: a block for what changes or runs, one row for calls that read."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rich.text import Text

from ....sdk import events as ev
from ...i18n.catalogs import t
from ...i18n.stored_messages import translate_stored
from ..block_printer import BULLET, EDGE, BlockPrinter
from ..console import style_text
from ..humanize import format_duration
from ..line_breaks import TAB
from ..sanitize import sanitize_line
from .folds import KeepFold, add_key_hint, fold_lines
from .output_fold import OutputFold
from .phrases import describe_call
from .reading_group import ReadingGroup, is_reading

# Least seconds of a call that are worth a note at the right
SHOWN_SECONDS = 0.95
DONE, FAILED, ASKED, QUIET = "green", "red", "yellow", "dim"


@dataclass
class _OpenCall:
    """A call without a result."""

    tool: str
    args: Mapping[str, Any]
    start_time: float
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
    ) -> None:
        self._printer, self._print_diff, self._clock = printer, print_diff, clock
        self._print_remark = print_remark
        self._remark = ""
        """A remark of the model: it is folded if a call that reads follows."""
        self._keep_fold = keep_fold
        self._open: dict[str, _OpenCall] = {}
        self._reading = ReadingGroup()
        self._asked: dict[str, str] = {}
        """Diffs that a question has shown, by the call's id."""

    @property
    def running_calls(self) -> list[str]:
        """The calls without a result so far, one line each."""
        return [_format_open(call) for call in self._open.values()]

    @property
    def live_rows(self) -> list[Text]:
        """What was read since the last block, and what runs, with the end of its output."""
        rows = self.reading_rows
        for call in self._open.values():
            row = style_text(f"◦ {_format_open(call)}", "")
            row.truncate(self._printer.width, overflow="ellipsis")
            rows.append(row)
            rows += [_build_output_row(line) for line in call.output.list_live_rows()]
        return rows

    @property
    def reading_rows(self) -> list[Text]:
        """What was read since the last block, and what the model said of it."""
        rows: list[Text] = []
        if self._reading:
            rows.append(Text(f"{BULLET}{self._reading.format_row(self._printer.width)}", QUIET))
        if remark := self._remark or self._reading.remark:
            rows.append(style_text(f"{EDGE if rows else BULLET}{remark}", QUIET))
        for row in rows:
            row.truncate(self._printer.width, overflow="ellipsis")
        return rows

    def add_call(self, event: ev.ToolCall) -> None:
        """Keep the call to show it with its result; a remark before a change is printed."""
        if self._remark and not is_reading(event.tool, event.args):
            self.flush()
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

    def add_thought(self, seconds: int) -> None:
        """Count a thought that was folded."""
        self._reading.add_thought(seconds)

    def add_shown_diffs(self, event: ev.Question) -> None:
        """Keep the diffs that the user has seen: they are not repeated after a yes."""
        for request in event.action_requests:
            self._asked[str(request.get("tool_call_id"))] = str(request.get("diff") or "")

    def show_output(self, event: ev.ToolOutput) -> None:
        """Keep output until its call has ended."""
        if event.id not in self._open:  # after a resume, or the graph's own tests
            self._open[event.id] = self._create_call("run_tests", {})
        self._open[event.id].output.add_text(event.text)

    def finish_output(self, call_id: str, *, title: str = "", ok: bool = True) -> bool:
        """Print the output of a call that is shown by itself; return whether there was any."""
        call = self._open.pop(call_id, None)
        return call is not None and self._print_output(call.output, title, ok=ok)

    def print_text(self, title: str, text: str) -> None:
        """Print the output of a program that nobody has seen, as that of one that failed."""
        output = OutputFold(keeps_all=self._keep_fold is not None)
        output.add_text(text)
        self._print_output(output, title, ok=False)

    def flush(self) -> None:
        """Print the row of the calls that read, and a remark: another block follows."""
        if self._reading:
            self._flush_group()
        remark, self._remark = self._remark, ""
        if remark and self._print_remark:
            self._print_remark(remark)

    def _flush_group(self) -> None:
        group, self._reading = self._reading, ReadingGroup()
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
        seconds = event.metadata.get("duration_s") or self._clock() - call.start_time
        if event.ok and not event.metadata.get("answered") and is_reading(call.tool, call.args):
            if self._remark:
                self._reading.add_remark(self._remark)
                self._remark = ""
            self._reading.add_call(call.tool, call.args, seconds)
            return
        if event.ok and call.tool in SILENT_TOOLS:
            return
        self.flush()
        if _is_for_model(event):
            self._print_error_row(call, event)
        else:
            self._print_block(call, event, seconds)

    def show_stopped(self) -> None:
        """Show the calls that were stopped, with their output so far."""
        self.flush()
        for call in self._open.values():
            phrase = describe_call(call.tool, call.args)
            head = Text.assemble((phrase.infinitive, "bold"), " ", style_text(phrase.subject, ""))
            self._printer.print_head(head, t("call.stopped"), bullet=ASKED)
            self._print_output(call.output, head.plain, ok=False)
        self._open.clear()

    def _print_block(self, call: _OpenCall, event: ev.ToolResult, seconds: float) -> None:
        phrase = describe_call(call.tool, call.args)
        facts = event.metadata
        is_answer = bool(facts.get("answered"))
        has_run = event.ok or "exit_code" in facts
        verb = phrase.done if has_run and not is_answer else phrase.infinitive
        head = Text.assemble(
            (verb, "bold"), " ", style_text(phrase.subject, ""), _format_lines(facts)
        )
        right = " · ".join(filter(None, [_format_exit(facts), _format_seconds(seconds)]))
        bullet = ASKED if is_answer else DONE if event.ok else FAILED
        self._printer.print_head(head, right, bullet=bullet)
        self._print_output(call.output, f"{verb} {phrase.subject}", ok=event.ok)
        self._print_answer(event)
        diff = str(facts.get("diff") or "")
        if diff and diff != self._asked.pop(event.id, ""):
            self._print_diff(diff)
        backups = facts.get("backups") or {"": facts.get("backup")}
        for file in filter(None, backups.values()):
            self._printer.print_rows(style_text(t("tool.backup", file=file), QUIET))

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

    def _print_error_row(self, call: _OpenCall, event: ev.ToolResult) -> None:
        """Print an error that the model mends by itself on one dim row."""
        phrase = describe_call(call.tool, call.args)
        first = translate_stored(event.error.partition("\n")[0]).rstrip(":：")
        text = t("call.failed", call=f"{phrase.infinitive} {phrase.subject}", why=first)
        self._printer.print_head(style_text(sanitize_line(text), QUIET), bullet=QUIET, kind="quiet")

    def _print_output(self, output: OutputFold, title: str, *, ok: bool) -> bool:
        first, hidden, last = output.finish(ok=ok)
        for line in first:
            self._printer.print_rows(style_text(line.expandtabs(TAB), QUIET))
        if hidden:
            note = add_key_hint(f"… {t('tool.left_out', count=hidden)}", self._keep_fold)
            self._printer.print_row(Text(note, QUIET))
        for line in last:
            self._printer.print_rows(style_text(line.expandtabs(TAB), QUIET))
        if hidden and self._keep_fold:
            self._keep_fold(fold_lines("output", title, output.lines))
        return bool(first)


# Calls that have blocks of their own: the list of todos, the end of the job
SILENT_TOOLS = frozenset({"todowrite", "todoread", "todoclear", "attempt_completion"})


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
