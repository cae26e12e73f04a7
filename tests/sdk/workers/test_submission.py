import json
import sqlite3
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.memory.threads.record import ThreadRow
from maxagent.sdk.workers import submission
from maxagent.sdk.workers.queue import ThreadQueue
from maxagent.sdk.workers.submission import QueuedTask, follow_tasks, read_tasks

REMOTE = "https://git.example/shop.git#main"
PLACES = {
    "another folder": (QueuedTask("", Path("/b"), {}), {}),
    "another folder in the line": (QueuedTask("", Path("/a"), {}), {"folder": "/b"}),
    "a workspace": (QueuedTask("", Path("/a"), {}, REMOTE), {}),
    "a workspace in the line": (QueuedTask("", Path("/a"), {}), {"workspace": REMOTE}),
    "a folder in a workspace's batch": (QueuedTask("", Path("/a"), {}, REMOTE), {"folder": "/b"}),
}


def read(default: QueuedTask, *lines: dict[str, object]) -> list[QueuedTask]:
    return read_tasks([json.dumps(line) for line in lines], "tasks.jsonl", default)


@pytest.mark.parametrize("name", [{}, {"id": "one"}], ids=["task", "id"])
@pytest.mark.parametrize("case", PLACES)
def test_another_place_is_another_thread(case: str, name: dict[str, object]) -> None:
    default, fields = PLACES[case]
    (first,) = read(QueuedTask("", Path("/a"), {}), {"task": "x", **name})
    (second,) = read(default, {"task": "x", **name, **fields})
    assert first.thread_id != second.thread_id
    assert read(default, {"task": "x", **name, **fields}) == [second]


SAME = {
    "a relative folder": {"folder": "."},
    "a folder with dots": {"folder": str(Path.cwd() / "x" / "..")},
    "another title": {"title": "y"},
    "other options": {"options": {"mode": "auto"}},
    "nothing else": {},
}


@pytest.mark.parametrize("case", SAME)
def test_same_place_is_the_same_thread(case: str) -> None:
    default = QueuedTask("", Path.cwd(), {})
    (first,), (second,) = read(default, {"task": "x"}), read(default, {"task": "x", **SAME[case]})
    assert first.thread_id == second.thread_id


def test_folder_of_a_line_holds_before_workspace() -> None:
    default = QueuedTask("", Path("/a"), {}, REMOTE)
    inside, beside = read(default, {"task": "x"}, {"task": "x", "folder": "/b"})
    assert (inside.workspace, beside.workspace, beside.folder) == (REMOTE, "", Path("/b"))


WRONG: dict[str, dict[str, object]] = {
    "its `folder` is no text": {"folder": 5},
    "its `workspace` is no text": {"workspace": ["x"]},
    "its `title` is no text": {"title": None},
    "its `id` is no text": {"id": True},
    "it has both `folder` and `workspace`": {"folder": "/a", "workspace": REMOTE},
    "it has an unknown field `model`": {"model": "x"},
}


@pytest.mark.parametrize("reason", WRONG)
def test_wrong_field_is_named_with_its_line(reason: str) -> None:
    with pytest.raises(UsageError) as caught:
        read(QueuedTask("", Path("/a"), {}), {"task": "x"}, {"task": "y", **WRONG[reason]})
    assert caught.value.message == f"line 2 is no task: {reason}"


ENDS = {
    "it has ended": ("SUCCESS", 0, "ended"),
    "it has failed": ("ERROR", 0, "failed"),
    "it was cancelled": ("CANCELLED", 0, "cancelled"),
    "it was given up": ("MAX_RECOVERY_ATTEMPTS_EXCEEDED", 0, "failed"),
    "its worker's clock is late": ("SUCCESS", 3600, "ended"),
}


@pytest.mark.parametrize("case", ENDS)
async def test_ends_are_met_while_it_looks(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(submission, "_FULL_LOOK", 2)
    status, late, state = ENDS[case]
    threads = [f"{number}b6d0a1e-3c8f-4b3a-9d0e-1f2a3b4c5d6e" for number in range(3)]
    queue = ThreadQueue(tmp_path)
    for thread in threads:
        times = ("2026-01-01", "2026-01-01")
        queue.wake(ThreadRow(thread, "t", "/p", "task", "r", "queued", *times))
    change = "UPDATE workflow_status SET status = ?, completed_at = ? WHERE workflow_uuid = ?"

    def end(thread: str) -> None:
        moment = datetime.now(UTC) - timedelta(seconds=late)
        values = (status, int(moment.timestamp() * 1000), f"{thread}:1")
        file = tmp_path / "data" / "queue.db"
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute(change, values)

    end(threads[0])
    tasks = [QueuedTask("r", Path("/p"), {}, thread_id=thread) for thread in threads]
    states = list[tuple[str, str]]()
    async for result in follow_tasks(queue, tasks):
        states.append((result["thread_id"], result["status"]))
        if len(states) < len(threads):
            end(threads[len(states)])
    queue.close()
    assert states == [(thread, state) for thread in threads]


async def test_a_thread_that_goes_on_has_not_ended(tmp_path: Path) -> None:
    thread = "0b6d0a1e-3c8f-4b3a-9d0e-1f2a3b4c5d6e"
    times = ("2026-01-01", "2026-01-01")
    row = ThreadRow(thread, "t", "/p", "task", "r", "queued", *times)
    queue = ThreadQueue(tmp_path)
    queue.wake(row)
    queue.cancel(thread)
    queue.wake(row)
    queue.cancel(thread)
    task = QueuedTask("r", Path("/p"), {}, thread_id=thread)
    results = [result async for result in follow_tasks(queue, [task])]
    queue.close()
    assert [result["status"] for result in results] == ["cancelled"]
