"""What the model is sent of a real thread: shown, compacted, and all of it again."""

from collections.abc import AsyncIterator
from dataclasses import replace

import pytest
from provider import Provider
from repl_session import Spoken

from maxagent import Runner, UsageError
from maxagent.cli.rendering.text_width import measure_width
from maxagent.cli.rendering.transcript import show_transcript
from maxagent.cli.repl.slash.context import CELLS, format_context
from maxagent.memory.threads.index import ThreadIndex
from maxagent.sdk.threads.context_usage import KINDS, ContextUsage
from maxagent.sdk.threads.transcript import read_transcript

REPORTED = {"prompt_tokens": 90_000, "completion_tokens": 10, "total_tokens": 90_010}
FILES = [f"long{number}.txt" for number in range(6)]
READS = [
    {"text": "I look.", "tool_calls": [{"name": "read_file", "args": {"path": file}}]}
    for file in FILES
]
SEEN = {"text": "Seen.", "usage": REPORTED}

PARTS = {"system": 2_000, "tools": 6_000, "summary": 0, "user": 400, "answers": 1_600,
         "results": 30_000}  # fmt: skip
USAGE = ContextUsage("chat", "openai/m", 128_000, 100_000, 40_000, True, 0.9, False, PARTS,
                     {"run_command": 20_000, "read_file": 10_000})  # fmt: skip
AT_80 = """40,000 of 128,000 tokens (31%)
█████████████████████████·······················································

█ system prompt   2,000    2%
█ tools           6,000    5%
█ your messages     400   <1%
█ answers         1,600    1%
█ tool results   30,000   23%
    run_command  20,000   16%
    read_file    10,000    8%
· free           88,000   69%

Compacts by itself at 100,000 tokens
From the provider's cache: 90% of the last request"""


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


def test_a_learnt_window_says_how_to_forget_it() -> None:
    parts = format_context(replace(USAGE, is_learnt=True), 200).plain.split()
    assert "`mcode models forget openai/m`" in " ".join(parts)


def test_bar_has_the_colours_of_the_kinds() -> None:
    table = format_context(USAGE, 200)
    assert table.plain == AT_80
    bar = table.split("\n")[1]
    assert len({str(span.style) for span in bar.spans}) == 5


def test_kinds_without_colours_have_digits() -> None:
    parts = dict.fromkeys(CELLS, 4_000)
    lines = format_context(replace(USAGE, parts=parts), 80, has_colors=False).plain.splitlines()
    assert lines[1].startswith("1122233344") and len({*lines[1]}) == 11
    assert [line[0] for line in lines[3:13]] == [*"1234567890"]


def test_each_kind_has_a_cell_of_its_own() -> None:
    assert len({*CELLS.values()}) == len(CELLS) == len(KINDS)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("columns", [40, 80])
def test_table_fits_the_window(
    language: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAXAGENT_LANG", language)
    output = format_context(replace(USAGE, is_cut=True, limit=0), columns).plain
    assert max(map(measure_width, output.splitlines())) <= columns
    assert "30,000" in output and "100,000" not in output


def test_unknown_window_has_no_shares() -> None:
    output = format_context(replace(USAGE, window=0, limit=0, is_reported=False), 80).plain
    assert output.startswith("about 40,000 of ? tokens (?)") and "%" not in output.splitlines()[4]


@pytest.mark.parametrize("window", [20_000, 3_000, 500])
@pytest.mark.parametrize("columns", [40, 80])
def test_parts_beyond_the_window_fit_their_lines(window: int, columns: int) -> None:
    output = format_context(replace(USAGE, window=window), columns).plain
    assert max(map(measure_width, output.splitlines())) <= columns
