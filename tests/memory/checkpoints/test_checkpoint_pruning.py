"""A thread takes less room, and nothing that can be read of it changes."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from old_threads import CHAT, WAITING, bring_old_threads

from maxagent.config import paths
from maxagent.graphs.chat import build_graph
from maxagent.memory.checkpoints import checkpoint_pruning
from maxagent.memory.checkpoints.checkpoint_pruning import compact_thread
from maxagent.memory.checkpoints.steps import read_branches
from maxagent.memory.checkpoints.writes import read_channel_writes
from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.memory.database.connection import connect


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return paths.locate_database(bring_old_threads(tmp_path))


async def states(database: Path, thread: str) -> list[Any]:
    """The values at each checkpoint at which a step ends."""
    config: Any = {"configurable": {"thread_id": thread}}
    async with open_checkpointer(database) as saver:
        graph = build_graph().compile(checkpointer=saver, name="chat")
        history = [item async for item in graph.aget_state_history(config)]
    return [
        (item.config["configurable"]["checkpoint_id"], item.next, item.interrupts, item.values)
        for item in history
        if item.next not in (("listen",), ("compact",))
    ]


def read(database: Path, of: Callable[[sqlite3.Connection], Any]) -> Any:
    with closing(connect(database)) as connection:
        return of(connection)


@pytest.mark.parametrize("thread", [CHAT, WAITING])
async def test_the_conversation_keeps_every_state(database: Path, thread: str) -> None:
    content = read(database, lambda connection: read_branches(connection, thread))
    mine = {step.checkpoint_id for step in content.steps}
    before = await states(database, thread)
    read(database, lambda connection: compact_thread(connection, thread))
    after = await states(database, thread)
    retained = {id_ for id_, *_ in after}
    assert mine - {""} <= retained
    for item, other in zip(
        [element for element in before if element[0] in retained], after, strict=True
    ):
        assert item[:3] == other[:3]
        assert {**item[3], "summary": ""} == {**other[3], "summary": ""}


def test_the_story_stays(database: Path) -> None:
    def story(connection: sqlite3.Connection) -> list[Any]:
        channel_writes = [
            (channel_write.node, channel_write.channel, channel_write.value)
            for channel_write in read_channel_writes(connection, CHAT)
        ]
        return [
            item
            for item in channel_writes
            if item[1:] not in (("outcome", None), ("outcome", "answered"))
        ]

    before = read(database, story)
    read(database, lambda connection: compact_thread(connection, CHAT))
    assert read(database, story) == before
    assert len(read(database, lambda connection: read_branches(connection, CHAT)).abandoned) == 0


@pytest.mark.parametrize("stop_at", range(1, 11))
def test_interrupted_compaction_can_be_continued(
    database: Path, monkeypatch: pytest.MonkeyPatch, stop_at: int
) -> None:
    monkeypatch.setattr(checkpoint_pruning, "_PORTION", 1)
    with closing(connect(database)) as connection:
        commits = iter(range(1, 1000))

        def stop(statement: str) -> None:
            if statement == "COMMIT" and next(commits) == stop_at:
                connection.interrupt()

        connection.set_trace_callback(stop)
        with pytest.raises(sqlite3.OperationalError, match="interrupted"):
            compact_thread(connection, CHAT)
    for _ in range(2):
        read(database, lambda connection: compact_thread(connection, CHAT))
    steps = read(database, lambda connection: read_branches(connection, CHAT)).steps
    assert [step.message.text for step in steps[1:]] == ["first answer", "second answer"]
