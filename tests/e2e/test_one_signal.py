"""One SIGTERM or one Ctrl-C ends `mcode`, whatever runs; the thread goes on from there."""

import signal
import subprocess
from typing import Any

import pytest
from program import Ended, Program
from provider import Provider
from test_kill import read_until

from maxagent.memory.threads.index import ThreadIndex

SIGNALS = [signal.SIGINT, signal.SIGTERM]
STUBBORN = {"command": "trap '' TERM; echo begun; while :; do sleep 600; done"}
RUNS: list[tuple[str, dict[str, Any]]] = [
    ("tool_output", {"tool_calls": [{"name": "run_command", "args": STUBBORN}]}),
    ("output", {"text": "Half of it, and more.", "portion": 9, "hang_after": 2}),
    ("output", {"text": "Half of it, and more.", "portion": 9, "alive_after": 2}),
]


def say(program: Program, provider: Provider) -> "subprocess.Popen[str]":
    model = ("--model", "openai/served", "--base-url", provider.url)
    return program.start("chat", "Go.", "--mode", "auto", *model)


def stopped(program: Program, process: "subprocess.Popen[str]", number: signal.Signals) -> Ended:
    process.send_signal(number)
    return program.end(process)


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize(("until", "turn"), RUNS, ids=["command", "stall", "keep-alives"])
def test_it_ends_whatever_runs(
    program: Program, provider: Provider, until: str, turn: dict[str, Any], number: signal.Signals
) -> None:
    provider.script([turn, {"text": "Run."}])
    process = say(program, provider)
    read_until(process, until)
    ended = stopped(program, process, number)
    assert (ended.code, ended.last["type"]) == (128 + number, "interrupted")
    [row] = ThreadIndex(program.home).list()
    assert row.status == "interrupted"
    resumed = program.resume(row.thread_id)
    assert (resumed.code, resumed.outcome) == (0, "answered")


@pytest.mark.parametrize("number", SIGNALS)
def test_signal_in_last_step_sets_exit_code(
    program: Program, provider: Provider, number: signal.Signals
) -> None:
    provider.script([{"text": "Done.", "portion": 2, "pause": 0.3}])
    process = say(program, provider)
    read_until(process, "output")
    ended = stopped(program, process, number)
    assert (ended.code, ended.last["type"], ended.last["summary"]) == (
        128 + number, "completion", "Done.",
    )  # fmt: skip
