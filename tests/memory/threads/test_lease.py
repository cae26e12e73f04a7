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

from maxagent.config.errors import MaxAgentError, ThreadBusy, UsageError
from maxagent.memory.threads import thread_id
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.lease import hold, holder, lock_file, refuse_held, was_killed

ROUNDS = 20

HOLD = """
import sys
from pathlib import Path
from maxagent.config.errors import ThreadBusy
from maxagent.memory.threads.lease import hold
sys.stdin.readline()
try:
    with hold(Path(sys.argv[1]), sys.argv[2]):
        print("held", flush=True)
        sys.stdin.readline()
except ThreadBusy as busy:
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


def test_one_holder_at_a_time_and_the_other_is_told_who(tmp_path: Path) -> None:
    thread = thread_id.new()
    with hold(tmp_path, thread):
        with pytest.raises(ThreadBusy) as busy, hold(tmp_path, thread):
            pass
        with hold(tmp_path, thread_id.new()):
            found = holder(tmp_path, thread)
    assert f"is in use by process {os.getpid()} on {os.uname().nodename}" in busy.value.message
    assert f"`kill {os.getpid()}`" in busy.value.hint and busy.value.exit_code == 1
    assert found and (found.pid, found.host) == (os.getpid(), os.uname().nodename)
    assert abs(found.since - time.time()) < 60


def test_a_lease_ends_with_its_block_and_leaves_no_file(tmp_path: Path) -> None:
    thread = thread_id.new()
    with pytest.raises(KeyError), hold(tmp_path, thread):
        assert oct(lock_file(tmp_path, thread).stat().st_mode & 0o777) == "0o600"
        raise KeyError
    assert not lock_file(tmp_path, thread).exists()
    assert holder(tmp_path, thread) is None
    with hold(tmp_path, thread):
        pass


def test_of_processes_that_start_together_one_goes_on_and_the_others_know_who(
    tmp_path: Path,
) -> None:
    thread = thread_id.new()
    for _ in range(ROUNDS):
        with Contender(tmp_path, thread) as one, Contender(tmp_path, thread) as other:
            one.go(), other.go()
            said = {one.pid: one.answer(), other.pid: other.answer()}
        (winner,) = [pid for pid, answer in said.items() if answer == "held"]
        (refusal,) = [answer for answer in said.values() if answer != "held"]
        assert f"is in use by process {winner} on " in refusal
        assert f"mcode resume {thread}" in refusal


def test_a_lease_left_by_a_killed_process_is_taken_over(tmp_path: Path) -> None:
    thread = thread_id.new()
    with Contender(tmp_path, thread) as killed:
        killed.go()
        assert killed.answer() == "held"
        found = holder(tmp_path, thread)
        assert found and found.pid == killed.pid
        killed.process.send_signal(signal.SIGKILL)
        killed.process.wait()
        assert lock_file(tmp_path, thread).exists()
        assert holder(tmp_path, thread) is None
        with hold(tmp_path, thread):
            found = holder(tmp_path, thread)
            assert found and found.pid == os.getpid()


def test_a_child_does_not_inherit_the_lease(tmp_path: Path) -> None:
    thread = thread_id.new()
    with ExitStack() as stack:
        with hold(tmp_path, thread):
            command = [sys.executable, "-c", "input()"]
            child = subprocess.Popen(command, stdin=subprocess.PIPE, close_fds=False)
            stack.enter_context(child)
            stack.callback(child.kill)
        with hold(tmp_path, thread):
            assert child.poll() is None


def test_a_file_removed_while_it_is_being_locked_is_not_the_lock(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    thread, flock, calls = thread_id.new(), fcntl.flock, itertools.count()

    def flock_just_after_the_holder_has_left(descriptor: int, operation: int) -> None:
        if next(calls) == 0:
            lock_file(tmp_path, thread).unlink()
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", flock_just_after_the_holder_has_left)
    with hold(tmp_path, thread), pytest.raises(ThreadBusy), hold(tmp_path, thread):
        pass


TAKE_TURNS = """
import sys
from pathlib import Path
from maxagent.config.errors import ThreadBusy
from maxagent.memory.threads.lease import hold
home, thread, counter = Path(sys.argv[1]), sys.argv[2], Path(sys.argv[3])
for _ in range(150):
    while True:
        try:
            with hold(home, thread):
                counter.write_text(str(int(counter.read_text()) + 1))
            break
        except ThreadBusy:
            pass
"""


def test_processes_that_take_turns_never_overlap(tmp_path: Path) -> None:
    counter = tmp_path / "counter"
    counter.write_text("0")
    command = [sys.executable, "-c", TAKE_TURNS, str(tmp_path), thread_id.new(), str(counter)]
    with ExitStack() as stack:
        children = [stack.enter_context(subprocess.Popen(command)) for _ in range(3)]
    assert [child.returncode for child in children] == [0, 0, 0]
    assert counter.read_text() == "450"


def test_a_holder_that_left_no_name_is_still_a_holder(tmp_path: Path) -> None:
    thread = thread_id.new()
    with hold(tmp_path, thread):
        lock_file(tmp_path, thread).write_text('{"pid": 1')
        assert holder(tmp_path, thread) is not None
        with pytest.raises(ThreadBusy, match="by another process"), hold(tmp_path, thread):
            pass


@pytest.mark.parametrize("bad", ["../../x", "", "thread"])
def test_only_a_thread_id_names_a_lock(bad: str, tmp_path: Path) -> None:
    with pytest.raises(UsageError), hold(tmp_path, bad):
        pass


def test_a_lock_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    thread = thread_id.new()
    lock_file(tmp_path, thread).mkdir(parents=True)
    with pytest.raises(MaxAgentError, match="cannot lock thread") as told, hold(tmp_path, thread):
        pass
    assert told.value.hint


def test_a_lock_that_a_full_disk_left_unsigned_is_let_go(tmp_path: Path) -> None:
    thread = thread_id.new()
    with (
        no_file_beyond(0),
        pytest.raises(MaxAgentError, match="cannot lock thread"),
        hold(tmp_path, thread),
    ):
        pass
    assert holder(tmp_path, thread) is None
    with hold(tmp_path, thread):
        pass


def test_a_held_thread_is_refused_without_taking_it(tmp_path: Path) -> None:
    held = thread_id.new()
    refuse_held(tmp_path, held)
    with hold(tmp_path, held), pytest.raises(ThreadBusy, match=str(os.getpid())):
        refuse_held(tmp_path, held)
    refuse_held(tmp_path, held)


THREAD = "aaaaaaaa-0000-4000-8000-000000000000"


def test_a_run_that_left_no_word_was_killed(tmp_path: Path) -> None:
    index = ThreadIndex(tmp_path)
    given = {"title": "x", "folder": str(tmp_path), "graph": "chat", "request": "x"}
    index.record(thread_id=THREAD, options={}, **given)
    assert was_killed(tmp_path, THREAD) and not was_killed(tmp_path, "another")
    index.set_status(THREAD, "interrupted")
    assert not was_killed(tmp_path, THREAD)
