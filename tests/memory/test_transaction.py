"""A process that is stopped beyond its lease: real processes, each stopped and continued."""

import os
from contextlib import closing, suppress
from pathlib import Path
from sqlite3 import OperationalError

import pytest
from stopped_holder import WRITES, continue_holder, create_thread, dump, stopped_holder

from maxagent.config import paths
from maxagent.config.errors import ThreadBusyError
from maxagent.memory.database.connection import connect, prepare_database
from maxagent.memory.journal import FinishedCall, Journal
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.lease import acquire_lease, find_holder, get_lock_path
from maxagent.memory.transaction import (
    begin_thread_write,
    begin_transaction,
    get_lease_number,
    take_lease_number,
)


@pytest.fixture(scope="module")
def after_takeover(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What became of the writes of a stopped process whose thread this process took."""
    home = tmp_path_factory.mktemp("home")
    thread = create_thread(home)
    with stopped_holder(home, thread) as holder:
        get_lock_path(home, thread).unlink()  # as where a file system forgets its locks
        with acquire_lease(home, thread):
            journal = Journal(paths.locate_database(home))
            journal.finish_call(thread, "early", {"output": "ours"})
            ThreadIndex(home).set_status(thread, "done")
            before = dump(home)
            ends = continue_holder(holder)
            assert dump(home) == before
            successor = find_holder(home, thread)
            assert successor and successor.pid == os.getpid()
            assert journal.find_call(thread, "early") == FinishedCall({"output": "ours"})
            journal.begin_call(thread, "ours", "edit")
            journal.close()
    return ends


@pytest.mark.parametrize("write", WRITES)
def test_late_write_of_lost_lease_is_refused(write: str, after_takeover: dict[str, str]) -> None:
    assert set(after_takeover) == set(WRITES)
    assert "another process has taken over thread" in after_takeover[write]


def test_stopped_process_keeps_its_lease(tmp_path: Path) -> None:
    thread = create_thread(tmp_path)
    with stopped_holder(tmp_path, thread) as holder:
        with pytest.raises(ThreadBusyError, match=str(holder.pid)), acquire_lease(tmp_path, thread):
            pass
        assert set(continue_holder(holder).values()) == {"written"}


def test_lease_ended_meanwhile_refuses_late_writes_too(tmp_path: Path) -> None:
    thread = create_thread(tmp_path)
    with stopped_holder(tmp_path, thread) as holder:
        get_lock_path(tmp_path, thread).unlink()
        with acquire_lease(tmp_path, thread):
            pass
        before = dump(tmp_path)
        assert "written" not in continue_holder(holder).values()
        assert dump(tmp_path) == before


def test_deleted_thread_is_not_written_again(tmp_path: Path) -> None:
    thread = create_thread(tmp_path)
    with stopped_holder(tmp_path, thread) as holder:
        get_lock_path(tmp_path, thread).unlink()
        ThreadIndex(tmp_path).delete(thread)
        assert "written" not in continue_holder(holder).values()
        assert thread not in "\n".join(dump(tmp_path))


def test_who_holds_no_lease_may_write(tmp_path: Path) -> None:
    thread = create_thread(tmp_path)
    with acquire_lease(tmp_path, thread):
        pass
    ThreadIndex(tmp_path).set_status(thread, "done")
    assert ThreadIndex(tmp_path).get(thread).status == "done"


@pytest.mark.parametrize(
    "failure", ["disk is full", "disk I/O error", "locked", "readonly", "interrupted"]
)
def test_a_lease_that_was_not_stored_is_not_held(tmp_path: Path, failure: str) -> None:
    database = tmp_path / "threads.db"
    prepare_database(database)
    with closing(connect(database)) as connection:
        with suppress(OperationalError), begin_transaction(connection):
            take_lease_number(connection, "t")
            raise OperationalError(failure)
        assert get_lease_number(database, "t") is None
        with begin_thread_write(connection, database, "t"):
            pass
