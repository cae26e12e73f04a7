import os
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator

import pytest

# what happens while the echo is off, and the exit code
WAYS_OUT = {
    "end": ("pass", 0),
    "error": ("raise ValueError", 1),
    "exit": ("sys.exit(3)", 3),
    "interrupt": ("os.kill(os.getpid(), signal.SIGINT)", -signal.SIGINT),
    "termination": ("os.kill(os.getpid(), signal.SIGTERM)", -signal.SIGTERM),
    "closed window": ("os.kill(os.getpid(), signal.SIGHUP)", -signal.SIGHUP),
    "quit": ("os.kill(os.getpid(), signal.SIGQUIT)", -signal.SIGQUIT),
}
PROGRAM = """
import os, signal, sys, termios
from maxagent.cli.prompts.terminal_echo import hidden_echo, shown_echo

def has_echo():
    return bool(termios.tcgetattr(0)[3] & termios.ECHO)

for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT):
    signal.signal(number, signal.SIG_DFL)
signal.signal(signal.SIGINT, signal.default_int_handler)
states = [has_echo()]
with hidden_echo():
    states.append(has_echo())
    with hidden_echo():
        states.append(has_echo())
    states.append(has_echo())
    with shown_echo():
        states.append(has_echo())
    states.append(has_echo())
    os.write(2, repr(states).encode())
    {way}
os.write(2, repr(has_echo()).encode())
"""
INSIDE = "[True, False, False, False, True, False]"


@pytest.fixture
def terminal() -> Iterator[int]:
    keys, end = os.openpty()
    yield end
    os.close(end)
    os.close(keys)


@pytest.mark.parametrize("way", WAYS_OUT)
def test_echo_is_restored_on_each_way_out(way: str, terminal: int) -> None:
    statement, code = WAYS_OUT[way]
    ended = subprocess.run(
        [sys.executable, "-c", PROGRAM.replace("{way}", statement)],
        stdin=terminal,
        stderr=subprocess.PIPE,
        text=True,
        preexec_fn=os.setsid,
        check=False,
    )
    assert ended.stderr.startswith(INSIDE)
    assert ended.returncode == code
    assert termios.tcgetattr(terminal)[3] & termios.ECHO


def test_without_a_terminal_nothing_happens() -> None:
    program = (
        "from maxagent.cli.prompts.terminal_echo import hidden_echo\nwith hidden_echo(): print(1)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", program], stdin=subprocess.DEVNULL, capture_output=True, check=True
    )
    assert ended.stdout == b"1\n"
