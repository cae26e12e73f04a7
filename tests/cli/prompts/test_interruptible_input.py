"""Signals that come while a human is waited for, and just before."""

import os
import signal
import socket
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest
from terminal import Terminal

from maxagent.cli.prompts.interruptible_input import (
    read_stdin_line,
    run_interruptible,
    wait_until_readable,
)

IN_THE_MOMENT_BEFORE = (
    "import random, signal\n"
    "from maxagent.cli.prompts.interruptible_input import read_stdin_line, run_interruptible\n"
    "def ask():\n"
    "    signal.setitimer(signal.ITIMER_REAL, random.uniform(5e-6, 300e-6))\n"
    "    print('Well?')\n"
    "    return read_stdin_line()\n"
    "for _ in range(300):\n"
    "    try: run_interruptible({signal.SIGALRM: LookupError}, ask)\n"
    "    except LookupError: pass\n"
    "print('all were heard')\n"
    "print('and typed:', run_interruptible({signal.SIGALRM: LookupError}, read_stdin_line))\n"
)


def test_signal_just_before_reading_ends_the_wait(tmp_path: Path) -> None:
    argv = [sys.executable, "-c", IN_THE_MOMENT_BEFORE]
    with Terminal(argv, tmp_path, {**os.environ}) as terminal:
        terminal.until("all were heard")
        terminal.type("a line\n").until("and typed: a line")
        assert terminal.end() == 0


def test_signal_outside_wait_is_raised_at_end() -> None:
    before, done = signal.getsignal(signal.SIGUSR1), list[str]()

    def ask() -> str:
        os.kill(os.getpid(), signal.SIGUSR1)
        done.append("the step was not torn")
        return "an answer"

    with pytest.raises(LookupError):
        run_interruptible({signal.SIGUSR1: LookupError}, ask)
    assert done and signal.getsignal(signal.SIGUSR1) is before
    assert run_interruptible({signal.SIGUSR1: LookupError}, lambda: "yes") == "yes"


def test_a_signal_is_not_lost_behind_an_error() -> None:
    def ask() -> None:
        os.kill(os.getpid(), signal.SIGUSR1)
        raise EOFError

    with pytest.raises(LookupError):
        run_interruptible({signal.SIGUSR1: LookupError}, ask)


def test_the_ear_that_was_there_before_hears_again() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.setblocking(False)
        before = signal.set_wakeup_fd(theirs.fileno())
        try:
            ours_too, text = socket.socketpair()
            with ours_too, text:
                text.send(b"x")
                wait_until_readable(ours_too.fileno())
        finally:
            assert signal.set_wakeup_fd(before) == theirs.fileno()


def test_in_another_thread_one_can_wait_too(monkeypatch: pytest.MonkeyPatch) -> None:
    keys, terminal = os.openpty()
    lines: list[str] = []
    with open(keys, "wb", buffering=0) as typed, open(terminal) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        reader = Thread(target=lambda: lines.append(read_stdin_line()))
        reader.start()
        typed.write(b"typed\n")
        reader.join(timeout=60)
    assert lines == ["typed"]


SUSPENSION = (
    "import os, sys, threading\n"
    "from maxagent.cli.prompts.interruptible_input import suspend_process_group\n"
    "def suspend():\n"
    "    for _ in range(20):\n"
    "        suspend_process_group()\n"
    "        os.write(1, b'.')\n"
    "idle = threading.Event()\n"
    "for _ in range(int(sys.argv[2])): threading.Thread(target=idle.wait).start()\n"
    "thread = threading.Thread(target=suspend)\n"
    "if sys.argv[1] == 'main': suspend()\n"
    "else: thread.start(); thread.join()\n"
    "idle.set()\n"
)


@pytest.mark.parametrize("thread", ["main", "other"])
@pytest.mark.parametrize("idle_threads", [0, 1, 8])
def test_process_stops_before_it_goes_on(thread: str, idle_threads: int) -> None:
    argv = [sys.executable, "-c", SUSPENSION, thread, str(idle_threads)]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, process_group=0) as process:
        assert process.stdout
        os.set_blocking(process.stdout.fileno(), False)
        written = list[int]()
        while os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1]):
            written.append(len(process.stdout.read() or b""))
            os.kill(process.pid, signal.SIGCONT)
        process.returncode = 0  # it has been waited for
    assert written == [0, *[1] * 19]
