from pathlib import Path

import pytest
from sent_children import run_thread

from maxagent.config.errors import UsageError
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.record import ThreadRow
from maxagent.memory.threads.sub_runs import SubRuns
from maxagent.sdk.threads.children import (
    find_child,
    list_children,
    measure_seconds,
    read_child_status,
)
from maxagent.sdk.threads.transcript import TranscriptEntry, read_child_transcript, read_transcript

THREAD = "aaaaaaaa-0000-4000-8000-000000000000"


@pytest.fixture
def index(tmp_path: Path) -> ThreadIndex:
    index = ThreadIndex(tmp_path)
    index.record_thread(
        thread_id=THREAD, title="look", folder="/p", graph="chat", request="look", options={}
    )
    return index


def read_lines(row: ThreadRow, home: Path) -> list[tuple[str, str, object]]:
    return [
        (entry.kind, entry.agent, entry.facts.get("status"))
        for entry in read_transcript(row, home)
        if entry.kind in ("call", "subagent", "question")
    ]


async def test_children_stand_below_their_call(tmp_path: Path, index: ThreadIndex) -> None:
    await run_thread(tmp_path, THREAD)
    index.set_status(THREAD, "idle")
    row = index.get(THREAD)
    assert read_lines(row, tmp_path) == [
        ("call", "", None),
        ("subagent", "explore-1", "done"),
        ("subagent", "shell-1", "done"),
    ]
    entry = next(entry for entry in read_transcript(row, tmp_path) if entry.kind == "subagent")
    assert (entry.text, entry.result, entry.ok, entry.step) == ("explore it", "seen", True, 1)
    assert (entry.facts["requests"], entry.facts["tokens"], entry.facts["cost"]) == (2, 30, 0.5)
    [explore, _] = list_children(row, tmp_path)
    assert 0 <= (measure_seconds(explore) or -1) < 60


@pytest.mark.parametrize(
    ("status", "text"),
    [
        ("waiting", "waiting"),
        ("interrupted", "interrupted"),
        ("limit", "interrupted"),
        ("failed", "interrupted"),
        ("unverified", "killed"),
        ("undone", "killed"),
    ],
)
async def test_open_child_is_shown_as_it_is(
    tmp_path: Path, index: ThreadIndex, status: str, text: str
) -> None:
    await run_thread(tmp_path, THREAD, answers=1)
    index.set_status(THREAD, status)  # pyright: ignore[reportArgumentType]
    lines = read_lines(index.get(THREAD), tmp_path)
    assert lines[1:3] == [("subagent", "explore-1", "done"), ("subagent", "shell-1", text)]
    asked = [("question", "shell-1", None)] if status == "waiting" else []
    assert lines[3:] == asked
    row = index.get(THREAD)
    assert read_child_status(find_child(row, tmp_path, "shell-1"), row, tmp_path) == text


async def test_child_of_abandoned_branch_was_left(tmp_path: Path, index: ThreadIndex) -> None:
    await run_thread(tmp_path, THREAD, answers=1)
    SubRuns(tmp_path / "data" / "threads.db").begin(
        THREAD, "call-of-other-branch", 0, namespace="n", agent="shell", title="look"
    )
    index.set_status(THREAD, "interrupted")
    row = index.get(THREAD)
    statuses = [
        read_child_status(find_child(row, tmp_path, sub_id), row, tmp_path)
        for sub_id in ("explore-1", "shell-1", "shell-2")
    ]
    assert statuses == ["done", "interrupted", "killed"]


async def test_child_has_a_transcript_of_its_own(tmp_path: Path, index: ThreadIndex) -> None:
    await run_thread(tmp_path, THREAD, answers=1, earlier=("an earlier report",))
    index.set_status(THREAD, "waiting")
    row = index.get(THREAD)

    def read(sub_id: str) -> list[TranscriptEntry]:
        return read_child_transcript(row, tmp_path, find_child(row, tmp_path, sub_id))

    explore, shell = read("explore-1"), read("shell-1")
    assert [(entry.kind, entry.text or entry.tool) for entry in explore] == [
        ("human", "explore it"),
        ("answer", "explore reads"),
        ("call", "read_file"),
        ("answer", "explore has seen it"),
    ]
    assert explore[2].result == "found"
    assert [entry.kind for entry in shell] == ["human", "answer", "call", "question"]


async def test_unknown_child_names_those_there(tmp_path: Path, index: ThreadIndex) -> None:
    row = index.get(THREAD)
    with pytest.raises(UsageError) as refused:
        find_child(row, tmp_path, "explore-1")
    assert "has no sub-agents" in refused.value.hint
    await run_thread(tmp_path, THREAD)
    with pytest.raises(UsageError) as refused:
        find_child(row, tmp_path, "explore-7")
    assert "`explore-1`, `shell-1`" in refused.value.hint
