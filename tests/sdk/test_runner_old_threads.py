"""What an older MaxAgent has kept is read, gone on with and gone back in."""

import json
from pathlib import Path
from typing import Any

import pytest
from old_threads import CHAT, WAITING, bring_old_threads

from maxagent import Answer, Runner
from maxagent.memory.threads.index import ThreadIndex
from maxagent.sdk.threads.disk_usage import measure_database
from maxagent.sdk.threads.pruning import prune_storage
from maxagent.sdk.threads.steps import read_thread_branches
from maxagent.sdk.threads.time_travel import fork, rewind_talk
from maxagent.sdk.threads.transcript import read_transcript
from maxagent.sdk.transfer.exporter import export_thread
from maxagent.sdk.transfer.importer import import_thread

SAID = ["first question", "first answer", "another question", "second answer"]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "project").mkdir()
    answers = [{"text": f"answer {number}"} for number in range(1, 6)]
    (tmp_path / "scenario.json").write_text(json.dumps(answers))
    calls = [{"name": "write_file", "args": {"path": "b.txt", "content": "x\n"}}]
    turns = [{"tool_calls": calls}, {"text": "done"}]
    (tmp_path / "writing.json").write_text(json.dumps(turns))
    return bring_old_threads(tmp_path)


def texts_of(home: Path, thread: str) -> list[str]:
    passages = read_transcript(ThreadIndex(home).get(thread), home)
    return [passage.text for passage in passages if passage.kind in ("human", "answer")]


async def last(events: Any) -> Any:
    event = None
    async for each in events:
        event = each
    return event


async def test_an_old_conversation_is_read_and_goes_on(home: Path) -> None:
    assert texts_of(home, CHAT) == SAID
    async with Runner(home=home) as runner:
        end = await last(runner.say(CHAT, "one more"))
    assert end.summary == "answer 3"
    assert texts_of(home, CHAT) == [*SAID, "one more", "answer 3"]
    assert [row.thread_id for row in ThreadIndex(home).search("another one more")] == [CHAT]


async def test_an_old_conversation_is_whole_after_a_prune(home: Path) -> None:
    size, thread_branches = (
        measure_database(home),
        read_thread_branches(ThreadIndex(home).get(CHAT), home),
    )
    assert await prune_storage(home) > size / 2
    row = ThreadIndex(home).get(CHAT)
    saved = read_thread_branches(row, home)
    assert [step.number for step in saved.steps] == [step.number for step in thread_branches.steps]
    assert [message.text for message in saved.messages] == [
        message.text for message in thread_branches.messages
    ]
    assert (len(thread_branches.abandoned), saved.abandoned) == (1, ())
    assert texts_of(home, CHAT) == SAID
    await rewind_talk(row, home, saved.steps[1])
    async with Runner(home=home) as runner:
        await last(runner.say(CHAT, "one more"))
        end = await last(runner.resume(WAITING, Answer(approve=True)))
    assert end.summary == "done"
    assert texts_of(home, CHAT) == [*SAID[:2], "one more", "answer 2"]


async def test_an_old_question_is_answered(home: Path) -> None:
    async with Runner(home=home) as runner:
        end = await last(runner.resume(WAITING, Answer(approve=True)))
    assert end.summary == "done"
    assert (home.parent / "project" / "b.txt").read_text() == "x\n"


async def test_old_conversation_rewinds_to_abandoned_branch(home: Path) -> None:
    row = ThreadIndex(home).get(CHAT)
    thread_branches = read_thread_branches(row, home)
    assert [step.message.text for step in thread_branches.steps[1:]] == [
        "first answer",
        "second answer",
    ]
    ((remaining,),) = thread_branches.abandoned
    await rewind_talk(row, home, remaining)
    assert texts_of(home, CHAT) == ["first question", "first answer", "second question", *SAID[3:]]
    forked = await fork(row, home, thread_branches.steps[1])
    async with Runner(home=home) as runner:
        await last(runner.say(forked.thread_id, "from here"))
    assert texts_of(home, forked.thread_id) == [*SAID[:2], "from here", "answer 2"]


async def test_an_old_conversation_is_carried_over(home: Path, tmp_path: Path) -> None:
    file = tmp_path / "thread.zip"
    file.write_bytes(export_thread(ThreadIndex(home).get(CHAT), home).content)
    result = await import_thread(file, tmp_path / "project", home)
    assert texts_of(home, result.row.thread_id) == SAID
