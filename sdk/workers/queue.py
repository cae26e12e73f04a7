"""The queue of threads, for those who fill it: enqueue, wake, list, cancel."""

import logging
import os
import re
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from ...config import paths
from ...config.errors import UsageError
from ...memory.database.connection import connect_server, find_server, translate_known_errors

if TYPE_CHECKING:
    from dbos import DBOSClient, WorkflowStatus

    from ...memory.threads.record import ThreadRow

QUEUE = "threads"
WORKFLOW = "run_thread"
# Of the rows, not of the program: workers of every version take all jobs
VERSION = "1"
POLLING_SECONDS = 0.5
RunState = Literal["queued", "delayed", "running", "ended", "failed", "cancelled"]
_STATES: Mapping[str, RunState] = {
    "ENQUEUED": "queued",
    "DELAYED": "delayed",
    "PENDING": "running",
    "SUCCESS": "ended",
    "CANCELLED": "cancelled",
}
_OPEN = ["ENQUEUED", "DELAYED", "PENDING"]
OPEN_STATES = [_STATES[state] for state in _OPEN]
_ENDED = ["SUCCESS", "ERROR", "CANCELLED", "MAX_RECOVERY_ATTEMPTS_EXCEEDED"]
# Jobs that are deleted at a time
_PORTION = 500
_SEARCH_PATH = re.compile(r"search_path(?:=|%3D)(\w+)", re.IGNORECASE)


@dataclass(frozen=True)
class ThreadJob:
    """One run of a thread: until it ends, or waits for an answer."""

    thread_id: str
    run: int
    partition: str
    """Of two jobs with the same, one runs at a time."""
    status: str = ""
    """The thread's status when it was enqueued."""
    answer: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """The answer to its question; empty: none."""

    @property
    def id(self) -> str:
        """Return its name in the queue."""
        return f"{self.thread_id}:{self.run}"


@dataclass(frozen=True)
class QueuedRun:
    """A job as the queue has it."""

    thread_id: str
    run: int
    state: RunState
    worker: str
    """The worker that has it, or had it last."""
    tries: int
    """How often a worker has begun it."""
    since: str
    """ISO 8601, UTC: when it was enqueued."""
    result: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What became of it, once it has ended."""


def import_dbos() -> Any:
    """Return the package, which reads no pickles of the database; raises UsageError without it."""
    try:
        import dbos
        from dbos import _serialization  # pyright: ignore[reportPrivateUsage]
    except ImportError as error:
        raise UsageError(
            "the queue needs the package `dbos`, which is not installed",
            hint="install it with `pip install 'maxagent[workers]'`",
        ) from error
    # a row may name its own serializer, and who can write rows must not run code here
    _serialization.DefaultSerializer.deserialize = _refuse_pickle
    logging.getLogger("dbos").setLevel(logging.CRITICAL)
    return dbos


def _refuse_pickle(cls: object, serialized_data: str) -> Any:
    raise TypeError(serialized_data[:20])


def locate_queue(home: Path) -> tuple[str, str]:
    """Return the address and the schema of the queue: beside the threads of the home."""
    import sqlalchemy

    if url := find_server(paths.locate_database(home)):
        match = _SEARCH_PATH.search(url)
        schema = f"{match[1]}_queue" if match else "maxagent_queue"
        return re.sub(r"^postgres://", "postgresql://", url), schema
    file = locate_queue_file(home)
    # never an existing one: to close it would take the locks of this process's connections
    with suppress(FileExistsError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600))
    address = sqlalchemy.URL.create("sqlite", database=str(file))
    return address.render_as_string(hide_password=False), "dbos"


def locate_queue_file(home: Path) -> Path:
    """Return the file of the queue, where threads are in a file, too."""
    return paths.ensure_data_folder(home) / "queue.db"


def _check_server(database: Path) -> None:
    """Raise MaxAgentError if the database's server cannot be reached."""
    if url := find_server(database):
        with translate_known_errors(database), closing(connect_server(url)) as connection:
            connection.execute("SELECT 1")


@contextmanager
def translate_queue_errors(home: Path) -> Generator[None]:
    """Turn errors of the queue's database into messages."""
    from sqlalchemy.exc import DBAPIError

    database = paths.locate_database(home)
    with translate_known_errors(database):
        try:
            yield
        except DBAPIError as error:
            cause = error.orig or error
            if url := find_server(database):
                from ...memory.database.postgres import PostgresError

                raise PostgresError(cast("Any", cause), url) from error
            raise cause from error


class ThreadQueue:
    """The queue of one home's database; its methods block.

    While the database is gone they raise MaxAgentError at once: DBOS would try without end.
    """

    def __init__(self, home: Path) -> None:
        """Open it; create or migrate its tables first. Raises UsageError without the package."""
        dbos = import_dbos()
        self._home = home
        _check_server(paths.locate_database(home))  # its own errors have no sentence
        address, schema = locate_queue(home)
        dbos.DBOS.migrate(address, schema=schema)
        self._client: DBOSClient = dbos.DBOSClient(
            system_database_url=address,
            dbos_system_schema=schema,
            serializer=dbos.DBOSPortableJSONSerializer(),
            system_database_pool_size=1,
            retry_connection_errors=False,
        )
        self._client.register_queue(
            QUEUE,
            partition_concurrency=1,
            worker_concurrency=1,
            polling_interval_sec=POLLING_SECONDS,
            on_conflict="never_update",
        )

    def close(self) -> None:
        """Close its connections."""
        self._client.destroy()

    def enqueue(self, job: ThreadJob, delay: float = 0.0) -> bool:
        """Add a job, to be run after `delay` seconds; False if it was added before."""
        from dbos import WorkflowSerializationFormat
        from dbos._error import (  # pyright: ignore[reportPrivateUsage]
            DBOSWorkflowIDInUseError,
        )

        options: dict[str, Any] = {
            "queue_name": QUEUE,
            "workflow_name": WORKFLOW,
            "workflow_id": job.id,
            "workflow_id_reuse_policy": "reject",
            "queue_partition_key": job.partition,
            "app_version": VERSION,
            "serialization_type": WorkflowSerializationFormat.PORTABLE,
        }
        if delay > 0:
            options["delay_seconds"] = delay
        fields = {"status": job.status, "answer": dict(job.answer), "partition": job.partition}
        try:
            with translate_queue_errors(self._home):
                self._client.enqueue(options, job.thread_id, job.run, fields)  # pyright: ignore
        except DBOSWorkflowIDInUseError:
            return False
        return True

    def wake(
        self,
        row: "ThreadRow",
        *,
        answer: Mapping[str, Any] | None = None,
        delay: float = 0.0,
        after: int = 0,
    ) -> ThreadJob:
        """Add the next run of a thread, unless one that does the same waits already.

        `after` is the run that this one follows.
        """
        runs = self.list_runs(row.thread_id)
        waiting = [each for each in runs if each.state in ("queued", "delayed")]
        if waiting and not answer:
            return ThreadJob(row.thread_id, waiting[-1].run, choose_partition(row))
        number = max([after, *(each.run for each in runs)]) + 1
        while True:
            job = ThreadJob(row.thread_id, number, choose_partition(row), row.status, answer or {})
            if self.enqueue(job, delay):
                return job
            number += 1

    def list_runs(
        self,
        thread_id: str = "",
        *,
        only_open: bool = False,
        ids: Sequence[str] = (),
        with_results: bool = True,
        limit: int | None = None,
        newest_first: bool = False,
    ) -> list[QueuedRun]:
        """Return the jobs of a thread, those with these names, or all, the oldest first.

        At most `limit`: the oldest, or the newest.
        """
        with translate_queue_errors(self._home):
            every = self._client.list_workflows(
                workflow_ids=list(ids) or None,
                workflow_id_prefix=f"{thread_id}:" if thread_id else None,
                status=_OPEN if only_open else None,
                name=WORKFLOW,
                load_input=False,
                load_output=with_results,
                limit=limit,
                sort_desc=newest_first,
            )
        return [_to_run(each) for each in every]

    def list_ended(self, since: datetime | None = None) -> list[QueuedRun]:
        """Return the jobs that have ended since then, by the clocks of their workers."""
        with translate_queue_errors(self._home):
            every = self._client.list_workflows(
                status=_ENDED,
                name=WORKFLOW,
                completed_after=since.isoformat() if since else None,
                load_input=False,
                load_output=False,
            )
        return [_to_run(each) for each in every]

    def list_running(self) -> list[QueuedRun]:
        """Return the jobs that a worker has."""
        with translate_queue_errors(self._home):
            every = self._client.list_workflows(
                status="PENDING", name=WORKFLOW, load_input=False, load_output=False
            )
        return [_to_run(each) for each in every]

    def has_open(self) -> bool:
        """Return whether a job is not done."""
        return bool(self.list_runs(only_open=True, with_results=False, limit=1))

    def cancel(self, thread_id: str) -> list[QueuedRun]:
        """Cancel the open jobs of a thread; one that runs ends after its step."""
        runs = self.list_runs(thread_id, only_open=True)
        with translate_queue_errors(self._home):
            self._client.cancel_workflows([f"{each.thread_id}:{each.run}" for each in runs])
        return runs

    def delete_ended(self, before: str) -> int:
        """Delete the jobs that have ended and were enqueued before a time; return how many."""
        count = 0
        with translate_queue_errors(self._home):
            while jobs := self._client.list_workflows(
                status=_ENDED,
                name=WORKFLOW,
                end_time=before,
                load_input=False,
                load_output=False,
                limit=_PORTION,
            ):
                self._client.delete_workflows([job.workflow_id for job in jobs])
                count += len(jobs)
        return count


def _to_run(workflow: "WorkflowStatus") -> QueuedRun:
    thread_id, _, number = workflow.workflow_id.rpartition(":")
    output: object = workflow.output
    created = datetime.fromtimestamp((workflow.created_at or 0) / 1000, UTC)
    return QueuedRun(
        thread_id=thread_id,
        run=int(number) if number.isdigit() else 0,
        state=_STATES.get(workflow.status, "failed"),
        worker=workflow.executor_id or "",
        tries=workflow.recovery_attempts or 0,
        since=created.isoformat(timespec="seconds"),
        result=cast("dict[str, Any]", output) if isinstance(output, dict) else {},
    )


def choose_partition(row: "ThreadRow") -> str:
    """Return what a thread must not share with another that runs: its folder, if no clone."""
    options = cast("Mapping[str, Any]", row.options or {})
    return row.thread_id if options.get("workspace") else row.folder
