import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent import Answer, Runner, trust
from maxagent.memory.checkpoints.writes import ChannelWrite
from maxagent.memory.threads.record import ThreadRow
from maxagent.sdk.threads import transcript as module
from maxagent.sdk.threads.steps import find_step
from maxagent.sdk.threads.time_travel import fork
from maxagent.sdk.threads.transcript import TranscriptEntry, read_stored_writes, read_transcript

WRITE = {"name": "write_file", "args": {"path": "a.txt", "content": "hi\n"}}
SECRET = "sk-abcdefgh1234567890ijklmnop"


def told(row: ThreadRow, home: Path) -> list[tuple[str, str]]:
    """Kind, and words or tool with its fate."""
    fate = {True: "+", False: "-", None: "?"}
    return [
        (item.kind, item.text if item.kind != "call" else f"{item.tool}{fate[item.ok]}")
        for item in read_transcript(row, home)
    ]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
async def talk(tmp_path: Path, home: Path):
    """Run a message on the thread, or the first one, and give its row."""
    folder = tmp_path / "project"
    folder.mkdir()
    trust(folder, home)
    scenario = tmp_path / "scenario.json"
    turns = [
        {"text": "Hello."},
        {"text": "I write.", "tool_calls": [WRITE, {"name": "nothing"}]},
        {"tool_calls": [WRITE]},
        {"text": "Done."},
    ]
    scenario.write_text(json.dumps({"build": turns, "plan": turns}))
    async with Runner(home=home) as runner:

        async def say(text: str = "", answer: Answer | None = None, **options) -> ThreadRow:
            rows = runner.threads.list()
            chosen = {"model": f"scripted/{scenario}", **options}
            if answer:
                events = runner.resume(rows[0].thread_id, answer)
            elif rows:
                events = runner.say(rows[0].thread_id, text, options=chosen)
            else:
                events = runner.chat(text, folder=folder, options=chosen)
            async for _ in events:
                pass
            return runner.threads.list()[0]

        yield say


async def test_a_conversation_is_written_in_its_order(talk, home: Path) -> None:
    await talk(f"Hi\nmy key is {SECRET}")
    row = await talk("Write a file")
    story = [
        ("human", "Hi\nmy key is [secret: API key]"),
        ("answer", "Hello."),
        ("human", "Write a file"),
        ("answer", "I write."),
        ("call", "write_file?"),
        ("call", "nothing?"),
    ]
    assert told(row, home) == [*story, ("question", "it changes files")]
    question = read_transcript(row, home)[-1]
    assert (question.tool, question.args["path"]) == ("write_file", "a.txt")
    assert "+hi" in question.facts["diff"]

    row = await talk(answer=Answer(approve=True))
    story[4:] = [("call", "write_file+"), ("call", "nothing-"), ("call", "write_file-")]
    row = await talk(answer=Answer(reject="no need")) if row.status == "waiting" else row
    assert told(row, home) == [*story, ("answer", "Done.")]
    first, unknown, _ = (item for item in read_transcript(row, home) if item.kind == "call")
    assert (first.role, first.step, first.facts["added"]) == ("build", 2, 1)
    assert "There is no tool" in unknown.result
    assert SECRET not in json.dumps(
        [stored_write.value for stored_write in read_stored_writes(row, home)]
    )


async def test_a_mode_is_reported_where_it_changes(talk, home: Path) -> None:
    row = await talk("Hi", plan=True)
    assert told(row, home)[:3] == [("human", "Hi"), ("mode", "plan"), ("answer", "Hello.")]


async def test_side_context_is_separate_from_the_message(talk, home: Path) -> None:
    await talk("Hi", aside=[f"The user notes: {SECRET}"])
    row = await talk("Write a file", mode="auto")
    assert told(row, home)[:4] == [
        ("human", "Hi"),
        ("aside", "The user notes: [secret: API key]"),
        ("answer", "Hello."),
        ("human", "Write a file"),
    ]


async def test_fork_shows_call_results_of_its_parent(talk, home: Path) -> None:
    await talk("Hi", mode="auto")
    row = await talk("Write a file")
    forked = await fork(row, home, find_step(row, home, 2), "Now shorter")
    story = read_transcript(forked, home)
    assert [item.text for item in story if item.kind == "human"] == [
        "Hi",
        "Write a file",
        "Now shorter",
    ]
    assert [item.facts.get("added") for item in story if item.kind == "call"] == [1, None]


def test_interrupted_answer_appears_once_in_its_place(home: Path) -> None:
    def said(name: str, *marks: str) -> ChannelWrite:
        more = {"role": "build", **dict.fromkeys(marks, True)}
        message = {"type": "ai", "id": name, "content": name, "additional_kwargs": more}
        return ChannelWrite("", "build", "messages", message, "c")

    rows = [
        said("first", "interrupted"),
        said("first", "interrupted", "told"),
        said("never shown", "interrupted", "told"),
        said("last"),
    ]
    story = module._build_entries(rows, {})
    assert [(item.kind, item.text) for item in story] == [
        ("interrupted", "first"),
        ("interrupted", "never shown"),
        ("answer", "last"),
    ]


SAID, ASIDE, DONE = (
    TranscriptEntry("human", "1"),
    TranscriptEntry("aside", "1"),
    TranscriptEntry("answer", "2"),
)
STOP = TranscriptEntry("interrupted", "1")


@pytest.mark.parametrize(
    ("passages", "is_stopped", "story"),
    [
        ([SAID], False, [SAID]),
        ([SAID, ASIDE], True, [SAID, ASIDE, STOP]),
        ([SAID, DONE], True, [SAID, DONE]),
        ([SAID, ASIDE, SAID, SAID, DONE], False, [SAID, ASIDE, STOP, SAID, STOP, SAID, DONE]),
    ],
)
def test_unanswered_message_is_shown_as_interrupted(
    passages: list[TranscriptEntry], is_stopped: bool, story: list[TranscriptEntry]
) -> None:
    assert list(module._insert_interruptions(iter(passages), is_stopped=is_stopped)) == story


def test_unstarted_thread_shows_its_request(home: Path, talk) -> None:
    row = ThreadRow("t", "Hi", "/p", "chat", "Hi\nthere", "interrupted", "2026", "2026")
    assert read_transcript(row, home) == [TranscriptEntry("human", "2026", "Hi\nthere")]


KEYS = ["type", "content", "tool_calls", "additional_kwargs", "role", "step", "id", "name", "args"]
KEYS += ["status", "tool_call_id", "value", "action_requests", "diff", "invalid_tool_calls"]
KINDS = st.sampled_from(["ai", "human", "tool"])
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=4),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS), inner | KINDS)
    ),
    max_leaves=12,
)
MESSAGES = st.none() | st.dictionaries(st.sampled_from(KEYS), JSON)
NODES = st.sampled_from(["__start__", "build", "review", ""])
OTHERS = st.sampled_from(["request", "told", "evidence", "outcome", "other"])
ROWS = st.builds(ChannelWrite, st.just(""), NODES, OTHERS, JSON, st.just("c"))
ROWS |= st.builds(ChannelWrite, st.just(""), NODES, st.just("messages"), MESSAGES, st.just("c"))


@given(st.lists(ROWS, max_size=4))
def test_forged_rows_raise_nothing(rows: list[ChannelWrite]) -> None:
    list(module._build_entries(rows, {}))


async def test_call_answered_in_words_is_marked(talk, home: Path) -> None:
    await talk("Hi")
    await talk("Write a file", mode="ask")
    row = await talk(answer=Answer(text="not yet"))
    asked = [item for item in read_transcript(row, home) if item.tool == "write_file"][0]
    assert (asked.result, asked.facts.get("answered")) == ("not yet", True)
