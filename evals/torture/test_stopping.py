"""Ctrl-C and SIGTERM: the step has time to finish; pressed twice, it stops at once; all is kept."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from gate import Gate, gated
from invariants import Remains, faults_in, remains_of
from leftovers import leftovers
from trial import Ended, Process, Trial

STOPPING = "stopping; the current step"
FIRST = ("coder", 0, 0)


class AtTheGate:
    """A task whose command stands at a gate."""

    def __init__(self, folder: Path, gate: Gate, output: str) -> None:
        self.gate = gate
        self.trial = Trial(folder / "trial", gated(gate), writable=[gate.folder])
        self.process: Process = self.trial.start(output=output)
        assert gate.reached()

    def press(self, number: signal.Signals) -> None:
        """Signal the whole foreground group, as a terminal does."""
        os.killpg(self.process.popen.pid, number)

    def resumed(self) -> tuple[Ended, Remains]:
        ended = self.trial.start().end()
        return ended, remains_of(self.trial, ended.last)


@pytest.fixture
def gate(tmp_path: Path) -> Iterator[Gate]:
    with Gate(tmp_path / "gate") as gate:
        yield gate


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_finishes_step_and_resume_continues(
    tmp_path: Path, gate: Gate, number: signal.Signals
) -> None:
    task = AtTheGate(tmp_path, gate, "text")
    task.press(number)
    assert task.process.wait_for_words(STOPPING)
    gate.open()
    stopped = task.process.end()
    log = (task.trial.project / "log.txt").read_text()
    assert (stopped.code, gate.lines[1] in log) == (128 + number, True)
    assert f"mcode resume {task.trial.thread_id[:8]}" in stopped.stderr
    ended, remains = task.resumed()
    assert (ended.code, remains.unknown, faults_in(remains)) == (0, set(), [])


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_one_signal_stops_a_step_that_goes_on(
    tmp_path: Path, gate: Gate, number: signal.Signals
) -> None:
    task = AtTheGate(tmp_path, gate, "stream-json")
    task.press(number)
    stopped = task.process.end()
    assert (stopped.code, stopped.last["type"]) == (128 + number, "interrupted")
    assert leftovers(task.trial.folder) == []
    ended, remains = task.resumed()
    assert (ended.code, remains.unknown, faults_in(remains)) == (0, {FIRST}, [])


def test_two_signals_stop_immediately_without_losing_work(tmp_path: Path, gate: Gate) -> None:
    task = AtTheGate(tmp_path, gate, "stream-json")
    task.press(signal.SIGINT)
    assert task.process.wait_for_words(STOPPING)
    task.press(signal.SIGINT)
    stopped = task.process.end()
    assert (stopped.code, stopped.last["type"]) == (130, "interrupted")
    assert leftovers(task.trial.folder) == []
    ended, remains = task.resumed()
    assert (ended.code, remains.unknown, faults_in(remains)) == (0, {FIRST}, [])
