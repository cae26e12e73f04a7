"""A process that is stopped beyond its lease: real processes, each stopped and continued."""

import os
import signal
import subprocess
import sys
from collections.abc import Generator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from maxagent.config import paths
from maxagent.config.errors import ThreadBusyError
from maxagent.memory.database.connection import connect
from maxagent.memory.journal import FinishedCall, Journal
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.lease import acquire_lease, find_holder, get_lock_path
from maxagent.memory.threads.thread_id import create_thread_id

HOLDER = """
import asyncio, sys
from pathlib import Path
from maxagent.config import paths
from maxagent.config.errors import ThreadBusyError
from maxagent.memory.database.checkpointer import open_checkpointer
from maxagent.memory.journal import Journal
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.lease import acquire_lease
from maxagent.memory.threads.pull_requests import PullRequestRecord, PullRequestRecords
from maxagent.memory.threads.sub_runs import SubRuns
from maxagent.memory.undo.history import FileHistory
from langgraph.checkpoint.base import empty_checkpoint

home, thread = Path(sys.argv[1]), sys.argv[2]
database = paths.locate_database(home)
index, journal = ThreadIndex(home), Journal(database)
history, children = FileHistory(database), SubRuns(database)
child = {"namespace": "", "agent": "explore", "title": "look"}
counts = {"requests": 1, "tokens": 1, "cost": None, "report": "late"}

async def write_all(saver):
    config = {"configurable": {"thread_id": thread, "checkpoint_ns": ""}}
    config = await saver.aput(config, empty_checkpoint(), {}, {})
    config["configurable"]["checkpoint_ns"] = ""
    await saver.aput_writes(config, [("messages", "early")], "task")
    journal.begin_call(thread, "early", "edit")
    history.begin_entry(thread, "early", "tool", before="", turn=1)
    first = children.begin(thread, "early", 0, **child)
    print("held", flush=True)
    sys.stdin.readline()
    changed = {"after": "", "changes": (), "reverted": (1,)}
    writes = {
        "call begun": lambda: journal.begin_call(thread, "late", "edit"),
        "call finished": lambda: journal.finish_call(thread, "early", {"output": "late"}),
        "output kept": lambda: journal.keep_output(thread, "early", "late"),
        "question kept": lambda: journal.ask_in_call(thread, "early", {"late": True}),
        "answer kept": lambda: journal.keep_partial_answer(thread, "1", "late"),
        "checkpoint": lambda: saver.aput(config, empty_checkpoint(), {}, {}),
        "write": lambda: saver.aput_writes(config, [("messages", "late")], "late"),
        "write again": lambda: saver.aput_writes(config, [("messages", "late")], "task"),
        "interrupt": lambda: saver.aput_writes(config, [("__interrupt__", "late")], "task"),
        "history begun": lambda: history.begin_entry(thread, "late", "tool", before="", turn=1),
        "history finished": lambda: history.finish_entry(thread, "early", **changed),
        "child begun": lambda: children.begin(thread, "late", 0, **child),
        "child ended": lambda: children.finish(thread, first.sub_id, "done", **counts),
        "status": lambda: index.set_status(thread, "failed", evidence={"late": True}),
        "title": lambda: index.set_title(thread, "late"),
        "pull request": lambda: PullRequestRecords(database).delete(thread),
    }
    for name, write in writes.items():
        try:
            done = write()
            if asyncio.iscoroutine(done):
                await done
            print(name, "| written", flush=True)
        except ThreadBusyError as error:
            print(name, "|", error.message, flush=True)

async def main():
    async with open_checkpointer(database) as saver:
        await write_all(saver)

with acquire_lease(home, thread):
    asyncio.run(main())
print("released", flush=True)
"""
WRITES = (
    "call begun",
    "call finished",
    "output kept",
    "question kept",
    "answer kept",
    "checkpoint",
    "write",
    "write again",
    "interrupt",
    "history begun",
    "history finished",
    "child begun",
    "child ended",
    "status",
    "title",
    "pull request",
)


@contextmanager
def stopped_holder(home: Path, thread: str) -> Generator["subprocess.Popen[str]"]:
    """A process that holds the lease of a thread, in the middle of a call, and is stopped."""
    command = [sys.executable, "-c", HOLDER, str(home), thread]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as holder:
        try:
            assert holder.stdout and holder.stdout.readline() == "held\n"
            holder.send_signal(signal.SIGSTOP)
            os.waitid(os.P_PID, holder.pid, os.WSTOPPED | os.WNOWAIT)
            yield holder
        finally:
            holder.kill()


def continue_holder(holder: "subprocess.Popen[str]") -> dict[str, str]:
    """Let it go on to its end; return what became of each of its writes."""
    holder.send_signal(signal.SIGCONT)
    printed = holder.communicate("\n", timeout=60)[0].splitlines()
    assert printed[-1] == "released"
    return {name: end for name, _, end in (line.partition(" | ") for line in printed[:-1])}


def create_thread(home: Path) -> str:
    return (
        ThreadIndex(home)
        .record_thread(
            thread_id=create_thread_id(),
            title="first",
            folder="/project",
            graph="task",
            request="do it",
            options={},
        )
        .thread_id
    )


def dump(home: Path) -> list[str]:
    with closing(connect(paths.locate_database(home))) as connection:
        return list(connection.iterdump())


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
