"""A transcript as text on stdout: messages with their authors, a line for each call."""

import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from ...memory.checkpoints.row_data import to_int
from ...memory.threads.pull_requests import PULL_REQUEST
from ...sdk.threads.transcript import TranscriptEntry
from ..i18n.catalogs import t
from ..i18n.stored_messages import translate_stored
from ..stdin_block import extract_stdin
from .listings.threads import SHORT_ID, format_time
from .output import echo
from .sanitize import sanitize_line
from .subagents.child_line import format_child
from .tool_summary import format_call, format_facts
from .window.compaction import describe_author

# A line, and its style at a terminal
StyledLine = tuple[str, str]
# Tools whose result is a message: it is shown in full, unless the call's line has it
CONVERSATION_TOOLS = (
    "ask_user",
    "attempt_completion",
    "plan_enter",
    "plan_exit",
    "plan_mode_respond",
)
VERDICTS = {"passed": "green", "failed": "red", "unverified": "yellow"}
OUTCOMES = ("verified", "unverified", "failed", "undone")
# First lines of what accompanied a message: a whole log may have been piped
ASIDE_LINES = 12
DIFF = {"+": "green", "-": "red", "@": "cyan"}


def show_transcript(
    passages: Sequence[TranscriptEntry], *, diffs: bool, full: bool = False
) -> None:
    """Print the transcript; `full`: with the summaries that the model reads."""
    write = _create_writer()
    for (heading, style), together in groupby(passages, key=build_heading):
        write("", "")
        if heading:
            write(heading, style)
        for passage in together:
            for line, look in format_passage(passage, diffs=diffs, full=full):
                write(line, look)


def _create_writer() -> Callable[[str, str], None]:
    """Return the writer: plain lines for a pipe; Rich is loaded only for a terminal."""
    if not sys.stdout.isatty():
        return lambda text, style: echo(text)
    from .console import open_console, show_line

    console = open_console(stderr=False)
    return lambda text, style: show_line(console, text, style)


def build_heading(passage: TranscriptEntry) -> StyledLine:
    """Return the author's heading; the parts of one answer share one heading."""
    match passage.kind:
        case "human":
            return f"{t('steps.you')}  {format_time(passage.at)}", "bold green"
        case "aside":
            return t("show.aside" if extract_stdin(passage.text) is None else "show.piped"), "dim"
        case "answer" | "call" | "subagent":
            return f"{passage.role}  {t('show.step', step=passage.step)}", "bold"
        case "interrupted" if passage.text:
            return f"{passage.role}  {t('show.interrupted')}", "bold yellow"
        case "interrupted":
            return t("show.unanswered"), "bold yellow"
        case "tests":
            return f"{t('role.tests')}  {passage.text}", "bold"
        case "question":
            return _describe_question(passage), "bold yellow"
        case _:
            return "", ""


def _describe_question(passage: TranscriptEntry) -> str:
    asker = sanitize_line(passage.agent)
    words = t("show.asked.agent", agent=asker) if asker else t("show.asked")
    return f"{words}  {passage.question[:SHORT_ID]}".rstrip()


def format_passage(passage: TranscriptEntry, *, diffs: bool, full: bool) -> Iterator[StyledLine]:
    """Yield the lines of an entry."""
    match passage.kind:
        case "human" | "answer" | "interrupted":
            yield from _indent_lines(passage.text, "  ")
        case "thinking":
            yield from _indent_lines(passage.text, "  ", "dim")
        case "aside":
            piped = extract_stdin(passage.text)
            lines = list(_indent_lines(passage.text if piped is None else piped, "  ", "dim"))
            yield from lines[:ASIDE_LINES]
            yield from [("  …", "dim")] if len(lines) > ASIDE_LINES else []
        case "call":
            yield from _format_call_lines(passage, diffs=diffs)
        case "subagent":
            line, style = format_child(passage.agent, passage.text, passage.facts)
            yield f"      {line}", style
        case "question":
            yield f"  ? {format_call(passage.tool, passage.args)}", "yellow"
            yield from _format_pull_request(passage) if passage.tool == PULL_REQUEST else ()
            yield from _format_diff(passage)
        case "tests":
            verdict = str(passage.facts.get("verdict"))
            word = t(f"verdict.{verdict}") if verdict in VERDICTS else verdict
            reason = translate_stored(str(passage.facts.get("reason", "")))
            yield f"  {t('labelled', label=word, said=reason)}", VERDICTS.get(verdict, "")
        case "mode":
            yield t("show.mode", mode=passage.text, agent=passage.role), "dim"
        case "outcome":
            word = t(f"outcome.{passage.text}") if passage.text in OUTCOMES else passage.text
            yield t("labelled", label=t("show.ended"), said=word), "bold"
        case "shortened":
            yield t("show.shortened"), "dim"
        case "compacted":
            yield from _format_cut(passage, full=full)


def _format_cut(passage: TranscriptEntry, *, full: bool) -> Iterator[StyledLine]:
    """Yield where the model's view was cut: it no longer reads what stands above."""
    if not passage.facts:
        yield t("show.uncompacted"), "dim"
        return
    before, after = (f"{to_int(passage.facts.get(key)):,}" for key in ("before", "after"))
    by = describe_author(str(passage.facts.get("made_by")))
    yield t("show.compacted", before=before, after=after, by=by), "dim"
    if full:
        yield from _indent_lines(passage.text, "  ", "dim")


def _format_call_lines(passage: TranscriptEntry, *, diffs: bool) -> Iterator[StyledLine]:
    mark, style = {True: ("✓", ""), False: ("✗", "red"), None: ("…", "yellow")}[passage.ok]
    is_answered = bool(passage.facts.get("answered"))
    if is_answered:
        mark, style = "✗", "yellow"
    call = format_call(passage.tool, passage.args)
    yield f"  {mark} {call}{format_facts(passage.facts)}", style
    if is_answered:
        yield from _indent_lines(t("tool.answered", answer=passage.result), "    ", "yellow")
    elif passage.tool in CONVERSATION_TOOLS and " ".join(passage.result.split()) not in call:
        yield from _indent_lines(passage.result, "    ")
    elif passage.ok is False:
        yield from _indent_lines(passage.result.strip().partition("\n")[0], "    ", "red")
    if diffs:
        yield from _format_diff(passage)


def _format_pull_request(passage: TranscriptEntry) -> Iterator[StyledLine]:
    """Yield what would be committed and sent, and what to know before a yes."""
    yield from _indent_lines(translate_stored(passage.text), "    ", "yellow")
    for name, value in passage.args.items():
        value_text = value if isinstance(value, str) else ", ".join(map(str, value))
        yield from _indent_lines(f"{name}: {value_text.strip()}".replace("\n", "\n  "), "    ")


def _format_diff(passage: TranscriptEntry) -> Iterator[StyledLine]:
    for line, _ in _indent_lines(str(passage.facts.get("diff", "")), "    "):
        bold = line.startswith(("    +++", "    ---"))
        yield line, "bold" if bold else DIFF.get(line[4:5], "")


def _indent_lines(text: str, by: str, style: str = "") -> Iterator[StyledLine]:
    for line in text.strip("\n").split("\n") if text.strip() else ():
        yield f"{by}{line}".rstrip(), style
