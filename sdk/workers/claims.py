"""The queue of threads, for a worker: claim a job, extend what it has, finish it.

DBOS gives each job to one worker, by a transaction. It does not notice a worker that has died: each
one leaves a sign of life, and takes over the jobs of those that have left none for long.
"""

import asyncio
import logging
import os
import socket
from collections.abc import Mapping
from concurrent.futures import Future
from contextlib import closing
from pathlib import Path
from secrets import token_hex
from typing import Any, Self

from ...config import paths
from ...memory.database.connection import (
    connect,
    connect_server,
    find_server,
    translate_known_errors,
)
from ...memory.threads.server_lease import has_died, identify_machine
from .queue import (
    POLLING_SECONDS,
    QUEUE,
    VERSION,
    WORKFLOW,
    ThreadJob,
    ThreadQueue,
    import_dbos,
    locate_queue,
    locate_queue_file,
)

EXTEND_SECONDS = 5.0
# For the results of a worker that ends
RESULT_SECONDS = 10.0
# As long as a lease of a thread: then its run is over, too
SILENT_SECONDS = 30.0
_FORGET_SECONDS = 86_400.0
_CREATE = (
    "CREATE TABLE IF NOT EXISTS maxagent_workers"
    " (worker TEXT PRIMARY KEY, host TEXT NOT NULL, pid INTEGER NOT NULL,"
    " seen DOUBLE PRECISION NOT NULL)"
)
_EXTEND = (
    "INSERT INTO maxagent_workers (worker, host, pid, seen) VALUES (?, ?, ?, {now})"
    " ON CONFLICT (worker) DO UPDATE SET seen = excluded.seen"
)
_SERVER_NOW = "EXTRACT(EPOCH FROM clock_timestamp())"
_FILE_NOW = "(julianday('now') - 2440587.5) * 86400.0"
_logger = logging.getLogger(__name__)


class Claims:
    """The jobs of one worker."""

    def __init__(self, home: Path, parallel: int, queue: ThreadQueue) -> None:
        """`parallel` jobs at a time."""
        self._home, self._parallel, self._queue = home, parallel, queue
        self.host, self.pid = identify_machine(), os.getpid()
        self.worker = f"{socket.gethostname()}-{self.pid}-{token_hex(3)}"
        self._inbox = asyncio.Queue[ThreadJob]()
        self._held: dict[str, Future[dict[str, Any]]] = {}
        self._finished = set[str]()
        self._loop = asyncio.get_running_loop()
        self._dbos = import_dbos().DBOS

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self._launch)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._wait_for_results()
        await asyncio.to_thread(self._close)

    async def _wait_for_results(self) -> None:
        """Wait until the queue has the results: without, another worker would do the jobs again.

        Not for long: while the database is gone, DBOS tries without end.
        """
        active = self._dbos_instance._active_workflows_set
        deadline = self._loop.time() + RESULT_SECONDS
        while self._finished & {*active.activeList()} and self._loop.time() < deadline:
            await asyncio.sleep(POLLING_SECONDS / 10)

    def _close(self) -> None:
        """End; raises MaxAgentError if the database is gone."""
        instance = self._dbos_instance
        instance._sys_db._retry_connection_errors = False
        self._dbos.destroy()
        with translate_known_errors(paths.locate_database(self._home)):
            self._forget_worker()

    def _launch(self) -> None:
        from dbos import DBOSPortableJSONSerializer, WorkflowSerializationFormat

        self._write_sign()  # before the first job: who leaves none is dead
        address, schema = locate_queue(self._home)
        config: dict[str, Any] = {
            "name": "maxagent",
            "system_database_url": address,
            "dbos_system_schema": schema,
            "application_version": VERSION,
            "executor_id": self.worker,
            "sys_db_pool_size": 2,
            "use_listen_notify": False,  # a proxy that shares sessions has none
            "run_migrations": False,
            "log_level": "CRITICAL",
            "serializer": DBOSPortableJSONSerializer(),
        }
        self._dbos(config=config)
        portable = WorkflowSerializationFormat.PORTABLE
        register = self._dbos.workflow(
            name=WORKFLOW, max_recovery_attempts=None, serialization_type=portable
        )

        # a function, which DBOS marks; a method cannot be
        async def run_workflow(thread_id: str, run: int, fields: dict[str, Any]) -> Any:
            return await self._hand_over(thread_id, run, fields)

        register(run_workflow)
        self._dbos.listen_queues([QUEUE])
        self._dbos.launch()
        self._dbos.register_queue(
            QUEUE,
            partition_concurrency=1,
            worker_concurrency=self._parallel,
            polling_interval_sec=POLLING_SECONDS,
            on_conflict="always_update",
        )

    async def _hand_over(self, thread_id: str, run: int, fields: dict[str, Any]) -> dict[str, Any]:
        """Give a job to `claim`, in the loop of DBOS, and wait until `finish`."""
        job = ThreadJob(thread_id, run, fields["partition"], fields["status"], fields["answer"])
        result = Future[dict[str, Any]]()
        self._held[job.id] = result
        self._loop.call_soon_threadsafe(self._inbox.put_nowait, job)
        return await asyncio.wrap_future(result)

    async def claim(self) -> ThreadJob:
        """Wait for the next job of this worker."""
        return await self._inbox.get()

    def finish(self, job: ThreadJob, result: Mapping[str, Any]) -> None:
        """End a job; without effect if another worker has taken it over meanwhile."""
        if (future := self._held.pop(job.id, None)) and not future.done():
            self._finished.add(job.id)
            future.set_result(dict(result))

    def stop_claiming(self) -> None:
        """Take no more jobs."""
        for event in self._dbos_instance.background_thread_stop_events:
            event.set()

    async def extend(self) -> list[str]:
        """Leave a sign of life, and put jobs of silent workers back into the queue.

        Returns the names of this worker's jobs that were cancelled.
        """
        return await asyncio.to_thread(self._extend)

    def _extend(self) -> list[str]:
        living = self._write_sign()
        silent = {job.worker for job in self._queue.list_running()} - {"", *living}
        if silent:
            _logger.warning("jobs of silent workers are taken over: %s", ", ".join(silent))
            self._dbos._recover_pending_workflows(sorted(silent))
        held = list(self._held)
        if not held:
            return []
        jobs = self._queue.list_runs(ids=held, with_results=False)
        return [f"{job.thread_id}:{job.run}" for job in jobs if job.state == "cancelled"]

    async def is_retry(self, job: ThreadJob) -> bool:
        """Return whether a worker has begun the job before, and not ended it."""
        (run,) = await asyncio.to_thread(self._queue.list_runs, ids=[job.id], with_results=False)
        return run.tries > 1

    @property
    def _dbos_instance(self) -> Any:
        from dbos import _dbos  # pyright: ignore[reportPrivateUsage]

        return _dbos._get_dbos_instance()  # pyright: ignore

    def _write_sign(self) -> set[str]:
        """Leave a sign of life; return the workers that live."""
        url = find_server(paths.locate_database(self._home))
        now = _SERVER_NOW if url else _FILE_NOW
        connection = connect_server(url) if url else connect(locate_queue_file(self._home))
        with closing(connection):
            connection.execute(_CREATE)
            connection.execute(_EXTEND.format(now=now), (self.worker, self.host, self.pid))
            rows = connection.execute(
                f"SELECT worker, host, pid, seen > {now} - {SILENT_SECONDS} FROM maxagent_workers"
            ).fetchall()
            forget = f"DELETE FROM maxagent_workers WHERE seen < {now} - {_FORGET_SECONDS}"
            connection.execute(forget)
        return {
            worker for worker, host, pid, is_fresh in rows if is_fresh and not has_died(host, pid)
        }

    def _forget_worker(self) -> None:
        url = find_server(paths.locate_database(self._home))
        connection = connect_server(url) if url else connect(locate_queue_file(self._home))
        with closing(connection):
            connection.execute("DELETE FROM maxagent_workers WHERE worker = ?", (self.worker,))
