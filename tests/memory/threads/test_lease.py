import fcntl
import itertools
import os
import signal
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path

import pytest
from full_disk import no_file_beyond

from maxagent.config.errors import MaxAgentError, ThreadBusyError, UsageError
from maxagent.memory.threads import thread_id
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.lease import (
    acquire_lease,
    ensure_not_held,
    find_holder,
    get_lock_path,
    has_crashed,
)

ROUNDS = 20

HOLD = """
import sys
from pathlib import Path
from maxagent.config.errors import ThreadBusyError
from maxagent.memory.threads.lease import acquire_lease
sys.stdin.readline()
try:
    with acquire_lease(Path(sys.argv[1]), sys.argv[2]):
        print("held", flush=True)
        sys.stdin.readline()
except ThreadBusyError as busy:
    print(busy.message, "|", busy.hint, flush=True)
"""


class Contender:
    """A real process that takes the lease at a word and lets go at the next."""

    def __init__(self, home: Path, thread: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", HOLD, str(home), thread],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.pid = self.process.pid

    def __enter__(self) -> "Contender":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.__exit__(None, None, None)

    def go(self) -> None:
        assert self.process.stdin
        self.process.stdin.write("\n")
        self.process.stdin.flush()

    def answer(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().strip()


def test_second_holder_is_refused_naming_the_first(tmp_path: Path) -> None:
    thread = thread_id.create_thread_id()
    with acquire_lease(tmp_path, thread):
        with pytest.raises(ThreadBusyError) as busy, acquire_lease(tmp_path, thread):
            pass
        with acquire_lease(tmp_path, thread_id.create_thread_id()):
            holder = find_holder(tmp_path, thread)
    assert "runs in this program already" in busy.value.message
    assert "kill" not in busy.value.hint and busy.value.exit_code == 1
    assert holder and (holder.pid, holder.host) == (os.getpid(), os.uname().nodename)
    assert abs(holder.since - time.time()) < 60


def test_lease_ends_with_block_and_leaves_no_file(tmp_path: Path) -> None:
    thread = thread_id.create_thread_id()
    with pytest.raises(KeyError), acquire_lease(tmp_path, thread):
        assert oct(get_lock_path(tmp_path, thread).stat().st_mode & 0o777) == "0o600"
        raise KeyError
    assert not get_lock_path(tmp_path, thread).exists()
    assert find_holder(tmp_path, thread) is None
    with acquire_lease(tmp_path, thread):
        pass


@pytest.mark.slow
def test_concurrent_processes_get_one_holder_others_know_it(
    tmp_path: Path,
) -> None:
    thread = thread_id.create_thread_id()
    for _ in range(ROUNDS):
        with Contender(tmp_path, thread) as contender, Contender(tmp_path, thread) as other:
            contender.go(), other.go()
            answers = {contender.pid: contender.answer(), other.pid: other.answer()}
        (winner,) = [pid for pid, answer in answers.items() if answer == "held"]
        (refusal,) = [answer for answer in answers.values() if answer != "held"]
        assert f"is in use by process {winner} on " in refusal
        assert f"mcode resume {thread}" in refusal


def test_lease_of_crashed_process_is_reacquired(tmp_path: Path) -> None:
    thread = thread_id.create_thread_id()
    with Contender(tmp_path, thread) as killed:
        killed.go()
        assert killed.answer() == "held"
        holder = find_holder(tmp_path, thread)
        assert holder and holder.pid == killed.pid
        killed.process.send_signal(signal.SIGKILL)
        killed.process.wait()
        assert get_lock_path(tmp_path, thread).exists()
        assert find_holder(tmp_path, thread) is None
        with acquire_lease(tmp_path, thread):
            holder = find_holder(tmp_path, thread)
            assert holder and holder.pid == os.getpid()


def test_a_child_does_not_inherit_the_lease(tmp_path: Path) -> None:
    thread = thread_id.create_thread_id()
    with ExitStack() as stack:
        with acquire_lease(tmp_path, thread):
            command = [sys.executable, "-c", "input()"]
            child = subprocess.Popen(command, stdin=subprocess.PIPE, close_fds=False)
            stack.enter_context(child)
            stack.callback(child.kill)
        with acquire_lease(tmp_path, thread):
            assert child.poll() is None


def test_lock_file_removed_during_locking_is_retried(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread, flock, calls = thread_id.create_thread_id(), fcntl.flock, itertools.count()

    def flock_just_after_the_holder_has_left(descriptor: int, operation: int) -> None:
        if next(calls) == 0:
            get_lock_path(tmp_path, thread).unlink()
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock_just_after_the_holder_has_left)
    with (
        acquire_lease(tmp_path, thread),
        pytest.raises(ThreadBusyError),
        acquire_lease(tmp_path, thread),
    ):
        pass


TAKE_TURNS = """
import sys
from pathlib import Path
from maxagent.config.errors import ThreadBusyError
from maxagent.memory.threads.lease import acquire_lease
home, thread, counter = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
for _ in range(150):
    while True:
        try:
            with acquire_lease(home, thread):
                counter.write_text(str(int(counter.read_text()) + 1))
            break
        except ThreadBusyError:
            pass
"""


def test_processes_that_take_turns_never_overlap(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    command = [
        sys.executable,
        "-c",
        TAKE_TURNS,
        str(tmp_path),
        thread_id.create_thread_id(),
        str(counter),
    ]
    with ExitStack() as stack:
        children = [stack.enter_context(subprocess.Popen(command)) for _ in range(3)]
    assert [child.returncode for child in children] == [0, 0, 0]
    assert counter.read_text() == "450"


def test_holder_without_details_still_holds(tmp_path: Path) -> None:
    thread = thread_id.create_thread_id()
    with acquire_lease(tmp_path, thread):
        get_lock_path(tmp_path, thread).write_text('{"pid": 1')
        assert find_holder(tmp_path, thread) is not None
        with (
            pytest.raises(ThreadBusyError, match="by another process"),
            acquire_lease(tmp_path, thread),
        ):
            pass


@pytest.mark.parametrize("bad", ["../../x", "", "thread"])
def test_only_a_thread_id_names_a_lock(bad: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError), acquire_lease(tmp_path, bad):
        pass


def test_a_lock_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    thread = thread_id.create_thread_id()
    get_lock_path(tmp_path, thread).mkdir(parents=True)
    with (
        pytest.raises(MaxAgentError, match="cannot lock thread") as error_info,
        acquire_lease(tmp_path, thread),
    ):
        pass
    assert error_info.value.hint


def test_unsigned_lock_after_full_disk_is_released(tmp_path: Path) -> None:
    thread = thread_id.create_thread_id()
    with (
        no_file_beyond(0),
        pytest.raises(MaxAgentError, match="cannot lock thread"),
        acquire_lease(tmp_path, thread),
    ):
        pass
    assert find_holder(tmp_path, thread) is None
    with acquire_lease(tmp_path, thread):
        pass


def test_a_held_thread_is_refused_without_taking_it(tmp_path: Path) -> None:
    held = thread_id.create_thread_id()
    ensure_not_held(tmp_path, held)
    with acquire_lease(tmp_path, held), pytest.raises(ThreadBusyError, match="this program"):
        ensure_not_held(tmp_path, held)
    ensure_not_held(tmp_path, held)


THREAD = "aaaaaaaa-0000-4000-8000-000000000000"


def test_a_run_that_left_no_word_was_killed(tmp_path: Path) -> None:
    index = ThreadIndex(tmp_path)
    texts = {"title": "x", "folder": str(tmp_path), "graph": "chat", "request": "x"}
    index.record_thread(thread_id=THREAD, options={}, **texts)
    assert has_crashed(tmp_path, THREAD) and not has_crashed(tmp_path, "another")
    index.set_status(THREAD, "interrupted")
    assert not has_crashed(tmp_path, THREAD)
