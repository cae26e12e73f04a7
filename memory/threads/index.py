"""The list of threads: their names, folders and status.

Plain SQL, so that listing never imports LangGraph. Threads that exist only in LangGraph's tables,
because Studio started them, are found there.
"""

import json
import sqlite3
from collections.abc import Collection, Generator, Mapping
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ...config import paths
from ...config.errors import UsageError
from ...config.security.private_files import delete_folder
from ...config.settings.policy_file import load_managed_policy
from ...config.text import text
from ..checkpoints.thread_rows import copy_thread_rows, delete_thread_rows
from ..database.connection import connect, find_server, prepare_database, translate_sqlite_errors
from ..transaction import begin_thread_write
from . import index_rows, lease
from .index_rows import read_next_time
from .lookup import MAX_SUGGESTED, MIN_PREFIX_LENGTH, build_not_found_error, choose_row
from .pull_requests import find_asked
from .record import OPEN_STATUSES, ThreadRow, ThreadStatus, update_from_facts
from .rows import copy_history, delete_records, delete_thread, insert_thread, read_threads

if TYPE_CHECKING:
    from .transfer_rows import TransferRows

MAX_NAME_LENGTH = 60
# In these states a process may have a thread, which has written nothing yet
_MAY_RUN = ("running", "queued")
# Threads of each kind that an inbox shows
INBOX = 500


class ThreadIndex:
    """The list of threads of one MaxAgent home. Its methods block for about a millisecond."""

    def __init__(self, home: Path | None = None) -> None:
        """Prepare the database; `set_aside` is the path of a damaged one that was moved, if any."""
        self._home = home or paths.locate_home()
        self._path = paths.locate_database(self._home)
        self.set_aside = prepare_database(self._path).set_aside

    def record_thread(
        self,
        *,
        thread_id: str,
        title: str,
        folder: str,
        graph: str,
        request: str,
        options: Mapping[str, object],
        name: str = "",
    ) -> ThreadRow:
        """Add a new thread as running; raises UsageError for an invalid or taken name."""
        name = name and _validate_name(name)
        with _translate_name_conflict(name, thread_id), self._write(thread_id) as connection:
            now = read_next_time(connection)
            row = ThreadRow(
                thread_id, title, folder, graph, request, "running", now, now, name, options
            )
            insert_thread(connection, row)
        return row

    def fork(self, fork: ThreadRow, checkpoint_id: str, file_entry: int) -> None:
        """Add a fork with the conversation and file history of its `parent` up to that point.

        Sub-agents that have ended are copied. Without a checkpoint it starts empty.
        """
        from .children import copy_children

        with self._write(fork.thread_id) as connection:
            if checkpoint_id:
                copy_thread_rows(connection, fork.parent, checkpoint_id, fork.thread_id)
                copy_history(connection, fork.parent, file_entry, fork.thread_id)
                copy_children(connection, fork.parent, fork.thread_id)
            _insert_used_thread(connection, fork)

    def import_thread(self, row: ThreadRow, rows: "TransferRows") -> None:
        """Add a thread from elsewhere with all its rows or none.

        Raises UsageError if two rows are the same or exist already.
        """
        from .transfer_rows import insert_rows

        try:
            with self._write(row.thread_id) as connection:
                insert_rows(connection, row.thread_id, rows)
                _insert_used_thread(connection, row)
        except sqlite3.IntegrityError as error:
            raise UsageError(
                text("cannot import the thread: {error}", error=error),
                hint="get the file again, or try again",
            ) from error

    def set_status(
        self, thread_id: str, status: ThreadStatus, *, evidence: Mapping[str, object] | None = None
    ) -> None:
        """Set the thread's status and evidence; without `evidence` the old one stays."""
        proof = json.dumps(evidence) if evidence is not None else None
        self._update_row(
            thread_id,
            "status = :status,evidence = COALESCE(:proof,evidence),updated_at = :now",
            {"status": status, "proof": proof},
        )

    def rename(self, thread_id: str, name: str) -> None:
        """Set the user's name for the thread; raises UsageError for an invalid or taken name."""
        name = _validate_name(name)
        with _translate_name_conflict(name):
            self._update_row(thread_id, "name = :name", {"name": name})

    def move(self, thread_id: str, old: str, new: str) -> None:
        """Move the thread from one folder to another, in its row and all its states."""
        from ..checkpoints.folder_rows import replace_folder

        row = self.get(thread_id)
        with _translate_name_conflict(row.name), self._write(thread_id) as connection:
            replace_folder(connection, thread_id, old, new)
            update = "UPDATE threads SET folder = ? WHERE thread_id = ?"
            connection.execute(update, (new, thread_id))

    def set_title(self, thread_id: str, title: str) -> None:
        """Replace the title, which is the request's first line at first; a user's name wins."""
        with self._write(thread_id) as connection:
            query = "UPDATE threads SET title = ? WHERE thread_id = ? AND name = ''"
            connection.execute(query, (title, thread_id))

    def get(self, thread_id: str) -> ThreadRow:
        """Return the thread with exactly this ID; raises UsageError if there is none."""
        if row := self.find_row(thread_id):
            return row
        raise UsageError(
            text("no thread `{thread_id}`", thread_id=thread_id),
            hint="run `mcode threads list --all` to list them",
        )

    def find_row(self, thread_id: str) -> ThreadRow | None:
        """Return the thread with exactly this ID, if there is one."""
        return next(iter(self.list(ids=[thread_id])), None)

    def find(self, text: str, folder: Path | None = None) -> ThreadRow:
        """Return the thread with this ID, name or prefix of an ID; raises UsageError otherwise.

        With a folder, the names of other folders do not count: each has names of its own.
        """
        with self._read() as connection:
            index_rows.prepare_index(connection)
            ids = index_rows.find_ids(connection, text, MIN_PREFIX_LENGTH) if text else []
        rows = self.list(ids=ids)
        own_folder = str(folder.resolve()) if folder else None
        if row := choose_row(text, rows, own_folder):
            return row
        raise build_not_found_error(text, self.list(limit=MAX_SUGGESTED))

    def list_forks(self, thread_id: str) -> "list[ThreadRow]":
        """Return the forks of a thread."""
        with self._read() as connection:
            query = "SELECT thread_id FROM threads WHERE parent = ?"
            ids = [id_ for (id_,) in connection.execute(query, (thread_id,))]
        return self.list(ids=ids)

    def has_name(self, name: str) -> bool:
        """Return whether a thread of any folder has this name."""
        with self._read() as connection:
            query = "SELECT COUNT(*) FROM threads WHERE name = ?"
            return bool(connection.execute(query, (name,)).fetchone()[0])

    def get_latest(self, folder: Path) -> ThreadRow:
        """Return the folder's thread that was used last; raises UsageError if there is none."""
        rows = self.list(folder, limit=1)
        if not rows:
            raise UsageError(
                text("no threads in `{folder}` yet", folder=folder.resolve()),
                hint="run `mcode threads list --all` to list threads of other folders",
            )
        return rows[0]

    def list(
        self,
        folder: Path | None = None,
        *,
        graph: str = "",
        status: ThreadStatus | None = None,
        before: str = "",
        ids: Collection[str] | None = None,
        limit: int | None = None,
    ) -> list[ThreadRow]:
        """Return threads, the last used first: all, or those that fit, at most `limit`.

        The cost is that of what is returned, and of what has changed since the last list.
        """
        folder_path = str(folder.resolve()) if folder else ""
        chosen = index_rows.ListFilter(folder_path, graph, status, before, ids)
        with self._read() as connection:
            index_rows.update_index(connection, ids)
            facts = index_rows.read_page(connection, chosen, limit)
            rows = read_threads(connection, facts)
            running = {each for each, row in rows.items() if row.status in _MAY_RUN}
            newer = {
                each
                for each, fact in facts.items()
                if each not in rows or (fact and fact.updated_at > rows[each].updated_at)
            }
            held = lease.find_holders(self._home, running | newer)
            # read again: a run sets its status before it releases its lease
            rows |= read_threads(connection, running - held.keys())
            for thread_id in facts.keys() - rows.keys():
                fact = facts[thread_id]
                if fact:  # else it was deleted just now
                    rows[thread_id] = index_rows.build_row(connection, thread_id, fact)
            waiting = [each for each, row in rows.items() if row.status == "waiting"]
            asked = find_asked(connection, waiting) if waiting else set[str]()
        corrected = [
            update_from_facts(row, facts[each], is_held=each in held, is_asked=each in asked)
            for each, row in rows.items()
        ]
        fitting = [
            replace(row, holder=held[row.thread_id].address) if row.thread_id in held else row
            for row in corrected
            if status in (None, row.status)
        ]
        return sorted(fitting, key=lambda row: row.updated_at, reverse=True)

    def list_inbox(self, open_ids: Collection[str] = ()) -> "list[ThreadRow]":
        """Return the threads used last, those used last that are not over, and `open_ids`."""
        rows = {row.thread_id: row for row in self.list(limit=INBOX)}
        for status in OPEN_STATUSES:
            rows |= {row.thread_id: row for row in self.list(status=status, limit=INBOX)}
        if missing := [thread_id for thread_id in open_ids if thread_id not in rows]:
            rows |= {row.thread_id: row for row in self.list(ids=missing)}
        return sorted(rows.values(), key=lambda row: row.updated_at, reverse=True)

    def refresh(self) -> None:
        """Bring the index up to date, as each list does first."""
        with self._read() as connection:
            index_rows.update_index(connection)

    def count(self, folder: Path | None = None) -> int:
        """Count all threads, or those of a folder."""
        chosen = index_rows.ListFilter(str(folder.resolve()) if folder else "")
        with self._read() as connection:
            index_rows.update_index(connection)
            return index_rows.count_rows(connection, chosen)

    def list_folders(self) -> "list[str]":
        """Return the folders of all threads, the last used first."""
        with self._read() as connection:
            index_rows.update_index(connection)
            return index_rows.list_folders(connection)

    def search(self, text: str, folder: Path | None = None) -> "list[ThreadRow]":
        """Return threads whose name, title or messages contain all these words, ignoring case."""
        from ..checkpoints.messages import read_searchable_texts

        words = text.casefold().split()
        with self._read() as connection:
            texts = read_searchable_texts(connection)

        def is_match(row: ThreadRow) -> bool:
            own = (row.name, row.title, row.request)
            haystack = "\n".join([*own, *texts.get(row.thread_id, ())]).casefold()
            return all(word in haystack for word in words)

        return [row for row in self.list(folder) if is_match(row)]

    def compact(self, thread_id: str) -> None:
        """Delete abandoned branches, with their sub-agents, and repeated values of the thread."""
        from ..checkpoints.checkpoint_pruning import compact_thread
        from .children import delete_abandoned_children
        from .sub_runs import read_sub_runs

        with self._read() as connection:
            with begin_thread_write(connection, self._path, thread_id):
                delete_abandoned_children(connection, thread_id)
            children = [child.namespace for child in read_sub_runs(connection, thread_id)]
            compact_thread(connection, thread_id, children)

    def delete(self, thread_id: str) -> None:
        """Delete the thread and all its data; raises ThreadBusyError while it runs.

        Raises UsageError for a thread that an administrator's policy wants to be kept.
        """
        self._check_retention(thread_id)
        with lease.acquire_lease(self._home, thread_id), self._write(thread_id) as connection:
            delete_thread_rows(connection, thread_id)
            delete_thread(connection, thread_id)
            for locate_folder in paths.THREAD_FOLDERS:
                delete_folder(locate_folder(self._home, thread_id))
            delete_records(self._home, thread_id)

    def _check_retention(self, thread_id: str) -> None:
        if load_managed_policy() is None:
            return
        from .retention import check_deletion

        if row := self.find_row(thread_id):
            check_deletion(row)

    @contextmanager
    def _read(self) -> Generator[sqlite3.Connection]:
        with translate_sqlite_errors(self._path), closing(connect(self._path)) as connection:
            yield connection

    @contextmanager
    def _write(self, thread_id: str) -> Generator[sqlite3.Connection]:
        """Open a connection for changes that are made together or not at all."""
        with (
            self._read() as connection,
            begin_thread_write(connection, self._path, thread_id),
        ):
            yield connection

    def _update_row(
        self, thread_id: str, assignment: str, values: Mapping[str, str | None]
    ) -> None:
        """Update a thread's row; a thread started elsewhere gets its row now.

        The assignment may name `:now`.
        """
        change = f"UPDATE threads SET {assignment} WHERE thread_id = :thread_id"
        with self._write(thread_id) as connection:
            now = read_next_time(connection)
            if connection.execute(change, {**values, "thread_id": thread_id, "now": now}).rowcount:
                return
        row = self.get(thread_id)
        with suppress(sqlite3.IntegrityError), self._write(thread_id) as connection:
            insert_thread(connection, row)  # unless another process has just added it
        self._update_row(thread_id, assignment, values)


def _insert_used_thread(connection: sqlite3.Connection, row: ThreadRow) -> None:
    """Insert a thread as the last one used."""
    used = read_next_time(connection, row.updated_at)
    insert_thread(connection, replace(row, updated_at=used))


def count_threads(database: Path) -> dict[tuple[str, str], int]:
    """Count the threads by graph and recorded status.

    Reads only, and repairs nothing. Raises sqlite3.Error for a database that cannot be read.
    """
    query = "SELECT graph, status, COUNT(*) FROM threads GROUP BY graph, status"
    with closing(_open_to_read(database)) as connection:
        return {(graph, status): count for graph, status, count in connection.execute(query)}


def list_thread_ids(database: Path) -> set[str]:
    """List the threads of our table; reads only, as `count_threads`."""
    with closing(_open_to_read(database)) as connection:
        return {row[0] for row in connection.execute("SELECT thread_id FROM threads")}


def _open_to_read(database: Path) -> sqlite3.Connection:
    if find_server(database):
        return connect(database)
    return sqlite3.connect(f"{database.as_uri()}?mode=ro", uri=True)


def _validate_name(raw_name: str) -> str:
    name = raw_name.strip()
    if not name or len(name) > MAX_NAME_LENGTH or not name.isprintable():
        raise UsageError(
            "a thread's name must be one line of printable characters",
            hint=text("use 1 to {longest_name} characters", longest_name=MAX_NAME_LENGTH),
        )
    return name


@contextmanager
def _translate_name_conflict(name: str, thread_id: str = "") -> Generator[None]:
    try:
        yield
    except sqlite3.IntegrityError as error:
        if thread_id and "threads.thread_id" in str(error):
            raise UsageError(
                text("there is a thread `{thread_id}` already", thread_id=thread_id),
                hint="choose another ID, or continue that thread",
            ) from None
        if "threads.name" not in str(error):
            raise
        raise UsageError(
            text("another thread is already named `{name}`", name=name), hint="choose another name"
        ) from None
