"""Runs of `mcode` that are forked from a server which an earlier run left behind."""

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from fork_probe import explain_no_server
from program import Program
from provider import Provider
from screen import FreshScreenTerminal

from maxagent.cli.fork_server import channel, identity
from maxagent.cli.fork_server.startup import count_forks, end_server

MCODE = (sys.executable, "-m", "maxagent")
PATIENCE = 60.0
CALL = {"tool_calls": [{"name": "run_command", "args": {"command": "echo once >> log.txt"}}]}

pytestmark = pytest.mark.skipif(bool(explain_no_server()), reason=explain_no_server())


@pytest.fixture
def warm(program: Program, provider: Provider) -> Iterator[Program]:
    """A program whose first run has left a server behind."""
    program.environ["MAXAGENT_SERVER__WARM"] = "on"
    provider.script([{"text": "Hello."}])
    assert chat(program, provider, "hi").returncode == 0
    deadline = time.monotonic() + PATIENCE
    while count_forks(program.home, program.environ) is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)  # nothing tells when a server listens
    yield program
    key = identity.compute_key(program.environ, identity.read_confinement("self"))
    end_server(program.home, key)


def chat(program: Program, provider: Provider, text: str) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [*MCODE, "chat", text, "--mode", "auto", *model(provider)],
        cwd=program.project,
        env=program.environ,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


def model(provider: Provider) -> tuple[str, ...]:
    return ("--model", "openai/served", "--base-url", provider.url)


def test_a_run_leaves_a_server_behind(warm: Program, provider: Provider) -> None:
    for number in (1, 2):
        provider.script([CALL, {"text": "Done."}])
        ended = chat(warm, provider, "write it")
        assert (ended.returncode, ended.stdout.strip()[-5:]) == (0, "Done.")
        assert count_forks(warm.home, warm.environ) == number
    assert warm.lines() == ["once", "once"]
    assert "runs forked so far: 2" in warm.run("doctor").stdout


def test_killed_fork_resumes_without_repeating(warm: Program, provider: Provider) -> None:
    gate = warm.project / "gate"
    os.mkfifo(gate)
    slow = {"name": "run_command", "args": {"command": "echo begun > gate; sleep 600"}}
    provider.script([CALL, {"tool_calls": [slow]}, {"text": "Done."}])
    arguments = ["write it", "--mode", "auto", "--output", "stream-json", *model(provider)]
    command = [*MCODE, "chat", *arguments]
    with subprocess.Popen(
        command, cwd=warm.project, env=warm.environ, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    ) as client:  # fmt: skip
        assert gate.read_text() == "begun\n"
        assert count_forks(warm.home, warm.environ) == 1
        client.kill()
        assert client.stdout
        thread = json.loads(client.stdout.readline())["thread_id"]
        client.stdout.read()  # its end: the fork is gone, too
    resumed = warm.resume(thread, MAXAGENT_SERVER__WARM="off")
    assert resumed.code == 0, resumed.stderr
    assert warm.lines() == ["once"]


class Shell(FreshScreenTerminal):
    """bash, with job control."""

    def __init__(self, program: Program) -> None:
        prompt = {"PS1": "shell> ", "TERM": "xterm-256color", "COLUMNS": "100"}
        environ = {**program.environ, **prompt}
        super().__init__(["bash", "--norc", "-i"], program.project, environ, columns=100)


def test_job_control_is_as_in_a_start(warm: Program, provider: Provider) -> None:
    provider.script([CALL, {"text": "All done."}, {"text": "Unused."}])
    with Shell(warm) as shell:
        shell.until("shell> ")
        shell.type(f"{' '.join([*MCODE, 'chat', 'go', '--mode', 'ask', *model(provider)])}\n")
        shell.until("↑↓ move · Esc")
        shell.type("\x1a")
        shell.until("Stopped")
        shell.type("fg\n")
        shell.until("↑↓ move · Esc")
        shell.type("1")
        shell.until("All done.")
        shell.type("echo code $?\n")
        shell.until("code 0")
        shell.type("exit\n")
        assert shell.end() == 0
    assert count_forks(warm.home, warm.environ) == 1
    assert warm.lines() == ["once"]


def list_children(program: Program) -> list[str]:
    """The forks that run now."""
    key = identity.compute_key(program.environ, identity.read_confinement("self"))
    with channel.connect(program.home, key, 5) as server:
        peer = server.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, 12)
        number = struct.unpack("3i", peer)[0]
        return Path(f"/proc/{number}/task/{number}/children").read_text().split()


def test_conversation_at_a_terminal_starts_cold(warm: Program, provider: Provider) -> None:
    provider.script([{"text": "At once."}])
    options = " ".join(["chat", "--mode", "auto", *model(provider)])
    with Shell(warm) as shell:
        shell.until("shell> ")
        shell.type(f"{' '.join(MCODE)} {options}\n")
        shell.until("›")
        assert list_children(warm) == []
        shell.type("hi\r")
        shell.until("At once.")
        shell.type("\x04")
        shell.until("shell> ")
        shell.type("exit\n")
        shell.end()
    assert len(provider.requests) == 2


def test_pipe_at_a_terminal_starts_cold(warm: Program, provider: Provider) -> None:
    provider.script([{"text": "All read."}])
    options = " ".join(["chat", "go", "--mode", "auto", *model(provider)])
    with Shell(warm) as shell:
        shell.until("shell> ")
        shell.type(f"echo log | {' '.join(MCODE)} {options}\n")
        shell.until("All read.")
        shell.type("exit\n")
        shell.end()
    assert count_forks(warm.home, warm.environ) == 0


@pytest.mark.parametrize("key", ["\x03", "hang up"])
def test_terminal_stops_a_forked_command(warm: Program, provider: Provider, key: str) -> None:
    gate = warm.project / "gate"
    os.mkfifo(gate)
    slow = {"name": "run_command", "args": {"command": "echo begun > gate; sleep 600"}}
    provider.script([{"tool_calls": [slow]}, {"text": "Unused."}])
    arguments = " ".join([*MCODE, "chat", "go", "--mode", "auto", *model(provider)])
    with Shell(warm) as shell:
        shell.until("shell> ")
        shell.type(f"{arguments}; echo code $?\n")
        assert gate.read_text() == "begun\n"
        if key == "hang up":
            os.kill(shell.pid, signal.SIGHUP)
        else:
            shell.type(key)
            shell.until("code 130")
            shell.type("exit\n")
        shell.end()
    listing = warm.run("threads", "list").stdout
    assert "interrupted" in listing or "stopped" in listing, listing
