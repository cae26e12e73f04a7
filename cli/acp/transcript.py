"""A thread's transcript as updates: what a client shows of a conversation that it opens."""

from collections.abc import Iterator, Sequence

from ...sdk.threads.transcript import TranscriptEntry
from .updates import Update, UpdateWriter


def render_transcript(entries: Sequence[TranscriptEntry], writer: UpdateWriter) -> Iterator[Update]:
    """Yield the updates of a transcript; the same messages have the same IDs each time."""
    for number, entry in enumerate(entries):
        writer.number += 1
        match entry.kind:
            case "human":
                yield writer.chunk("user_message", entry.text)
            case "answer" | "interrupted" if entry.text:
                yield writer.chunk("agent_message", entry.text)
            case "call":
                yield from _render_call(entry, f"{writer.thread_id}-call-{number}", writer)
            case _:
                pass


def _render_call(entry: TranscriptEntry, call_id: str, writer: UpdateWriter) -> Iterator[Update]:
    yield writer.tool_call(call_id, entry.tool, entry.args, entry.agent)
    if entry.ok is not None:
        yield writer.finish_call(call_id, ok=entry.ok, output=entry.result, facts=entry.facts)
