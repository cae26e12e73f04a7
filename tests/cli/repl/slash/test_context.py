"""What the model is sent of a real thread: shown, compacted, and all of it again."""

from collections.abc import AsyncIterator

import pytest
from provider import Provider
from repl_session import Spoken

from maxagent import Runner, UsageError
from maxagent.cli.rendering.transcript import show_transcript
from maxagent.memory.threads.index import ThreadIndex
from maxagent.sdk.threads.transcript import read_transcript

REPORTED = {"prompt_tokens": 90_000, "completion_tokens": 10, "total_tokens": 90_010}
FILES = [f"long{number}.txt" for number in range(6)]
READS = [
    {"text": "I look.", "tool_calls": [{"name": "read_file", "args": {"path": file}}]}
    for file in FILES
]
SEEN = {"text": "Seen.", "usage": REPORTED}


@pytest.fixture
async def talk(spoken: Spoken, provider: Provider) -> AsyncIterator[Spoken]:
    """A session that speaks with the model server; its summaries are made without a model."""
    for file in FILES:
        (spoken.project / file).write_text("a line of a long file\n" * 900)
    spoken.write("home/config.yaml", "context: {model: none}\n")
    spoken.session.titles = False
    spoken.session.options = {"model": "openai/served", "base_url": provider.url}
    async with Runner(home=spoken.home) as runner:
        spoken.session.opened.set_result(runner)
        yield spoken


async def test_context_names_every_kind(talk: Spoken, provider: Provider) -> None:
    assert await talk("/context") == "No model requests yet.\n"
    provider.script([READS[0], SEEN])
    await talk.say("what is here?")
    output = await talk("/context")
    for label in ("system prompt", "tools", "your messages", "answers", "  read_file", "free"):
        assert f"{label} " in output


async def test_thread_is_compacted_and_restored(talk: Spoken, provider: Provider) -> None:
    provider.script([*READS, SEEN, {"text": "Short."}, {"text": "Long."}])
    await talk.say("what is here?")
    assert "Compacted: 90,010 → " in await talk("/compact keep the line count")
    assert talk.session.usage and talk.session.usage.window < 90_000
    await talk.say("and now?")
    compacted = len(provider.requests[-1].raw)
    assert "the whole conversation again" in await talk("/uncompact")
    await talk.say("and now?")
    assert len(provider.requests[-1].raw) > compacted + 10_000
    with pytest.raises(UsageError, match="not compacted"):
        await talk("/uncompact")


async def test_history_marks_where_the_view_was_cut(talk: Spoken, provider: Provider) -> None:
    provider.script([*READS, SEEN])
    await talk.say("what is here?")
    await talk("/compact")
    await talk("/uncompact")
    assert talk.session.thread
    transcript = read_transcript(ThreadIndex(talk.home).get(talk.session.thread), talk.home)
    assert [entry.kind for entry in transcript][-2:] == ["compacted", "compacted"]
    show_transcript(transcript, diffs=False)
    plain = talk.seen
    assert "— compacted for the model: 90,010 → " in plain and "reads everything again" in plain
    show_transcript(transcript, diffs=False, full=True)
    assert len(talk.seen.splitlines()) > len(plain.splitlines())


@pytest.mark.parametrize("line", ["/compact", "/uncompact"])
async def test_without_a_thread_nothing_is_compacted(talk: Spoken, line: str) -> None:
    with pytest.raises(UsageError):
        await talk(line)
