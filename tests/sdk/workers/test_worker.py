"""A worker whose database is gone for a while."""

import asyncio
import logging
import sqlite3
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from maxagent.config.errors import UsageError
from maxagent.memory.database.postgres import PostgresError
from maxagent.memory.threads.index import ThreadIndex
from maxagent.nodes.options import Options
from maxagent.nodes.run.context import Context
from maxagent.sdk.runner import Runner
from maxagent.sdk.workers.queue import ThreadJob, ThreadQueue
from maxagent.sdk.workers.worker import Worker, _NextRun

THREAD = "0b6d0a1e-3c8f-4b3a-9d0e-1f2a3b4c5d6e"
JOB = ThreadJob(THREAD, 1, "/p")


def rename(home: Path, file: str, before: str, after: str) -> None:
    with closing(sqlite3.connect(home / "data" / file)) as connection, connection:
        connection.execute(f"ALTER TABLE {before} RENAME TO {after}")


def record_thread(home: Path) -> None:
    ThreadIndex(home).record_thread(
        thread_id=THREAD, title="t", folder="/p", graph="task", request="r", options={}
    )


@pytest.mark.parametrize("answer", [None, {"approve": True}])
async def test_next_run_waits_for_the_database(
    answer: dict[str, bool] | None,
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
) -> None:
    record_thread(tmp_path)
    with closing(ThreadQueue(tmp_path)) as queue:
        async with Runner(home=tmp_path) as runner:
            rename(tmp_path, "threads.db", "threads", "gone")
            with caplog.at_level(logging.WARNING):
                waking = asyncio.ensure_future(
                    Worker(tmp_path)._wake(JOB, _NextRun(60, answer), queue, runner)
                )
                await asyncio.wait([waking], timeout=0.5)
            assert "has no next run yet" in caplog.text
            rename(tmp_path, "threads.db", "gone", "threads")
            assert await waking
        assert [(run.run, run.state) for run in queue.list_runs()] == [(2, "delayed")]


async def test_an_ending_worker_leaves_its_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("maxagent.sdk.workers.worker._PAUSE", 0.01)
    record_thread(tmp_path)
    with closing(ThreadQueue(tmp_path)) as queue:
        async with Runner(home=tmp_path) as runner:
            rename(tmp_path, "threads.db", "threads", "gone")
            worker = Worker(tmp_path)
            worker.drain()
            assert not await worker._wake(JOB, _NextRun(), queue, runner)


async def test_a_folder_is_closed_after_its_last_job(tmp_path: Path) -> None:
    worker, project = Worker(tmp_path), tmp_path / "project"
    project.mkdir()
    async with Runner(home=tmp_path) as runner:
        async with worker._work_in(str(project), runner):
            async with worker._work_in(str(project), runner):
                options: Options = {"model": "openai/any", "base_url": "http://127.0.0.1:9/v1"}
                await runner.pool.open(str(project), options, Context(home=str(tmp_path)))
            assert not runner.pool.is_empty
        assert runner.pool.is_empty


@pytest.mark.parametrize(
    ("reason", "is_lost"),
    [
        ("sorry, too many clients already", True),
        ("remaining connection slots are reserved for non-replication superuser", True),
        ("the database system is starting up", True),
        ("the database system is shutting down", True),
        ("server closed the connection unexpectedly", True),
        ("password authentication failed for user x", False),
        ('database "x" does not exist', False),
    ],
)
def test_what_passes_is_waited_for(reason: str, is_lost: bool) -> None:
    error = psycopg.OperationalError(f"connection failed: FATAL:  {reason}")
    assert PostgresError(error, "postgres://host/db").is_lost == is_lost


async def test_a_deleted_thread_has_no_next_run(tmp_path: Path) -> None:
    with closing(ThreadQueue(tmp_path)) as queue:
        async with Runner(home=tmp_path) as runner:
            with pytest.raises(UsageError):
                await Worker(tmp_path)._wake(JOB, _NextRun(), queue, runner)
