"""The queue of threads, in a file of SQLite."""

import base64
import pickle
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from maxagent.config.errors import MaxAgentError
from maxagent.memory.threads.record import ThreadRow
from maxagent.sdk.workers.claims import Claims
from maxagent.sdk.workers.queue import ThreadJob, ThreadQueue, choose_partition, locate_queue

THREADS = [f"{number}b6d0a1e-3c8f-4b3a-9d0e-1f2a3b4c5d6e" for number in range(4)]


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[ThreadQueue]:
    opened = ThreadQueue(tmp_path)
    yield opened
    opened.close()


def build_row(thread_id: str, **options: str) -> ThreadRow:
    times = ("2026-01-01", "2026-01-01")
    return ThreadRow(thread_id, "t", "/p", "task", "r", "waiting", *times, options=options)


def execute(home: Path, statement: str, *values: object) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(home / "data/queue.db")) as connection, connection:
        return connection.execute(statement, values).fetchall()


def test_a_job_is_added_once(queue: ThreadQueue) -> None:
    job = ThreadJob(THREADS[0], 1, "/p")
    assert [queue.enqueue(job) for _ in range(3)] == [True, False, False]
    assert [(run.thread_id, run.run, run.state) for run in queue.list_runs()] == [
        (THREADS[0], 1, "queued")
    ]


def test_next_run_has_the_next_number(queue: ThreadQueue) -> None:
    row = build_row(THREADS[0])
    assert queue.wake(row).run == 1
    assert queue.wake(row).run == 1
    assert queue.wake(row, answer={"approve": True}).run == 2
    assert queue.wake(row, answer={"approve": True}, after=6).run == 7
    assert [run.run for run in queue.list_runs(THREADS[0])] == [1, 2, 7]
    assert queue.has_open()
    assert [run.run for run in queue.list_runs(limit=2)] == [1, 2]
    assert [run.run for run in queue.list_runs(limit=2, newest_first=True)] == [7, 2]


def test_later_run_waits(queue: ThreadQueue) -> None:
    queue.wake(build_row(THREADS[0]), delay=60)
    assert [run.state for run in queue.list_runs()] == ["delayed"]


def test_cancel_is_for_one_thread(queue: ThreadQueue) -> None:
    for thread in THREADS:
        queue.wake(build_row(thread))
    assert len(queue.cancel(THREADS[1])) == 1
    assert [run.state for run in queue.list_runs()] == ["queued", "cancelled", "queued", "queued"]
    assert queue.cancel(THREADS[1]) == []


@pytest.mark.parametrize("options, expected", [({}, "/p"), ({"workspace": "u#c"}, THREADS[0])])
def test_clones_run_beside_each_other(options: dict[str, str], expected: str) -> None:
    assert choose_partition(build_row(THREADS[0], **options)) == expected


def test_queue_file_is_private(queue: ThreadQueue, tmp_path: Path) -> None:
    assert (tmp_path / "data/queue.db").stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    "url, expected",
    [
        ("postgres://u@h/n", ("postgresql://u@h/n", "maxagent_queue")),
        ("postgresql://u@h/n", ("postgresql://u@h/n", "maxagent_queue")),
        (
            "postgresql://h/n?options=-csearch_path%3Dteam",
            ("postgresql://h/n?options=-csearch_path%3Dteam", "team_queue"),
        ),
    ],
)
def test_queue_is_beside_the_threads(
    url: str, expected: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLC_DATABASE", url)
    assert locate_queue(tmp_path) == expected


@pytest.mark.parametrize(
    "url",
    [
        "postgres://u:secret@127.0.0.1:1/n",
        "postgresql://u:secret@127.0.0.1:1/n",
        "postgresql://u:secret@127.0.0.1:1/n?options=-csearch_path%3Dteam",
        "postgresql://u:secret@[::1]:1/n?connect_timeout=2",
        "postgresql://u:secret@/n?host=/nowhere",
    ],
)
def test_a_server_that_is_down_is_named(
    url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLC_DATABASE", url)
    with pytest.raises(MaxAgentError) as caught:
        ThreadQueue(tmp_path)
    assert caught.value.hint and "secret" not in caught.value.message


class Bomb:
    """Runs code when it is unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return subprocess.check_call, ([sys.executable, "-c", "open('ran', 'w')"],)


async def test_only_old_ended_jobs_are_deleted(queue: ThreadQueue, tmp_path: Path) -> None:
    for thread in THREADS:
        queue.wake(build_row(thread))
    queue.cancel(THREADS[0])
    assert queue.delete_ended("2026-01-01T00:00:00+00:00") == 0
    assert queue.delete_ended("2999-01-01T00:00:00+00:00") == 1
    assert [run.thread_id for run in queue.list_runs()] == list(THREADS[1:])


@pytest.mark.parametrize("column", ["inputs", "output", "error"])
async def test_a_forged_pickle_runs_nothing(
    column: str, queue: ThreadQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    queue.wake(build_row(THREADS[0]))
    packed = base64.b64encode(pickle.dumps(Bomb())).decode()
    state = "ENQUEUED" if column == "inputs" else "SUCCESS" if column == "output" else "ERROR"
    change = f"UPDATE workflow_status SET {column} = ?, serialization = 'py_pickle', status = ?"
    execute(tmp_path, change, packed, state)
    async with Claims(tmp_path, 1, queue) as claims:
        await claims.extend()
        for _ in range(100):
            if queue.list_runs()[0].state != "queued":
                break
            await claims.extend()
    assert queue.list_runs()[0].result == {}
    assert not (tmp_path / "ran").exists()


async def test_jobs_of_the_dead_are_taken_over(queue: ThreadQueue, tmp_path: Path) -> None:
    for thread in THREADS[:3]:
        queue.wake(build_row(thread, workspace="u#c"))
    execute(tmp_path, "UPDATE workflow_status SET status = 'PENDING', executor_id = 'gone'")
    dead = subprocess.Popen(["true"])
    dead.wait()
    async with Claims(tmp_path, 3, queue) as claims:
        sign = "INSERT INTO maxagent_workers VALUES (?, ?, ?, unixepoch() + ?)"
        take = "UPDATE workflow_status SET executor_id = ? WHERE workflow_uuid LIKE ?"
        rows = [("fresh", "elsewhere", 1, 0), ("silent", "elsewhere", 1, -60)]
        rows += [("dead", claims.host, dead.pid, 0)]
        for thread, row in zip(THREADS, rows, strict=False):
            execute(tmp_path, sign, *row)
            execute(tmp_path, take, row[0], f"{thread}%")
        await claims.extend()
        jobs = [await claims.claim() for _ in range(2)]
        assert [await claims.is_retry(job) for job in jobs] == [False, False]
        assert sorted(job.thread_id for job in jobs) == THREADS[1:3]
        states = {run.thread_id: run.worker for run in queue.list_runs()}
        assert states[THREADS[0]] == "fresh"
        for job in jobs:
            claims.finish(job, {"status": "done"})
    assert execute(tmp_path, "SELECT worker FROM maxagent_workers WHERE host = ?", claims.host) == [
        ("dead",)
    ]


async def test_a_lost_job_keeps_its_successors_result(queue: ThreadQueue, tmp_path: Path) -> None:
    queue.wake(build_row(THREADS[0]))
    async with Claims(tmp_path, 1, queue) as claims:
        job = await claims.claim()
        change = "UPDATE workflow_status SET owner_xid = 'other', executor_id = 'other'"
        execute(tmp_path, change)
        claims.finish(job, {"status": "mine"})
    (run,) = queue.list_runs()
    assert (run.state, run.worker, run.result) == ("running", "other", {})


async def test_a_cancelled_job_is_named(queue: ThreadQueue, tmp_path: Path) -> None:
    queue.wake(build_row(THREADS[0]))
    async with Claims(tmp_path, 1, queue) as claims:
        job = await claims.claim()
        assert await claims.extend() == []
        queue.cancel(THREADS[0])
        assert await claims.extend() == [job.id]
        claims.finish(job, {"status": "interrupted"})
    assert [run.state for run in queue.list_runs()] == ["cancelled"]


TAKE_ALL = "import fcntl, sys; fcntl.lockf(open(sys.argv[1], 'r+'), 6, 510, 0x40000002)"


def test_locks_stay_when_it_is_opened_again(queue: ThreadQueue, tmp_path: Path) -> None:
    """A process that closes a file loses its locks of it, and SQLite its database."""
    file = tmp_path / "data/queue.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT COUNT(*) FROM workflow_status").fetchone()
        locate_queue(tmp_path)
        other = subprocess.run([sys.executable, "-c", TAKE_ALL, str(file)], capture_output=True)
    assert b"BlockingIOError" in other.stderr
