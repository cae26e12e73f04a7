"""A whole thread as text for a pager: each message, call and output in full, searchable."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ....config.security.redaction import redact
from ....sdk.threads.transcript import TranscriptEntry
from ...stdin_block import extract_stdin
from ..sanitize import sanitize_text
from ..transcript import StyledLine, build_heading, format_passage
from .phrases import describe_call

if TYPE_CHECKING:
    from ....memory.threads.record import ThreadRow

INDENT = "    "

ReadText = Callable[[TranscriptEntry], str]
ReadEntries = Callable[[TranscriptEntry], Sequence[TranscriptEntry]]


def read_thread_lines(row: "ThreadRow", home: Path) -> list[StyledLine]:
    """Return every message, thought and call of a thread, with all that its programs wrote."""
    from ....config.paths import locate_outputs
    from ....sdk.threads.children import find_child
    from ....sdk.threads.transcript import read_child_transcript, read_transcript
    from ....tools.process.output_capture import get_output_path, make_output_id

    outputs = locate_outputs(home, row.thread_id)

    def read_output(entry: TranscriptEntry) -> str:
        file = get_output_path(outputs, make_output_id(entry.call_id))
        return file.read_text("utf-8", "replace") if file.is_file() else ""

    def read_child(entry: TranscriptEntry) -> Sequence[TranscriptEntry]:
        return read_child_transcript(row, home, find_child(row, home, entry.agent))

    entries = read_transcript(row, home, thinking=True)
    return list(format_thread(entries, read_output, read_child))


def format_thread(
    entries: Sequence[TranscriptEntry], read_output: ReadText, read_child: ReadEntries
) -> Iterator[StyledLine]:
    """Yield the lines of a thread, and of each sub-agent below the call that has sent it.

    `read_output` returns all that a call's program wrote, empty if its result has it.
    """
    for (heading, style), together in groupby(entries, key=build_heading):
        yield "", ""
        if heading:
            yield heading, style
        for entry in together:
            yield from _format_entry(entry, read_output, read_child)


def _format_entry(
    entry: TranscriptEntry, read_output: ReadText, read_child: ReadEntries
) -> Iterator[StyledLine]:
    match entry.kind:
        case "aside":
            piped = extract_stdin(entry.text)
            yield from _indent_text(entry.text if piped is None else piped)
        case "call":
            yield from _format_call(entry, read_output(entry) or entry.result)
        case "subagent":
            yield from format_passage(entry, diffs=True, full=True)
            for line, style in format_thread(read_child(entry), read_output, read_child):
                yield f"{INDENT}{line}".rstrip(), style
        case "tests":
            yield from format_passage(entry, diffs=True, full=True)
            yield from _indent_text(str(entry.facts.get("tail") or ""))
        case _:
            yield from format_passage(entry, diffs=True, full=True)


def _format_call(entry: TranscriptEntry, output: str) -> Iterator[StyledLine]:
    """Yield the call in human words, its arguments, its output and its diff."""
    phrase = describe_call(entry.tool, entry.args)
    verb = phrase.done if entry.ok else phrase.infinitive
    yield f"● {verb} {phrase.subject}".rstrip(), "bold" if entry.ok is not False else "bold red"
    if list(entry.args.values()) != [phrase.subject]:
        yield from _format_args(entry.args)
    yield from _indent_text(output)
    yield from _indent_text(str(entry.facts.get("diff") or ""))


def _format_args(args: Mapping[str, Any]) -> Iterator[StyledLine]:
    for name, value in args.items():
        text = sanitize_text(redact(f"{name}: {value}"))
        first, *others = text.rstrip("\n").split("\n")
        yield f"  {first}", "dim"
        for line in others:
            yield f"{INDENT}{line}", "dim"


def _indent_text(text: str) -> Iterator[StyledLine]:
    """Yield the lines of a text as they are, below their head."""
    for line in sanitize_text(redact(text)).strip("\n").split("\n") if text.strip() else ():
        yield f"{INDENT}{line}", ""
