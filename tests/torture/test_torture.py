"""A short torture in the suite; `make torture N=200` is the long one."""

from pathlib import Path
from random import Random

import pytest
from errand import errand
from invariants import INVARIANTS, remains_of
from kills import SPARED, Kill, attempt
from rivals import race
from torture import torture
from trial import Trial


def test_an_undisturbed_run_does_everything_once_and_knows_every_outcome(tmp_path: Path) -> None:
    trial = Trial(tmp_path / "run", errand(1, turns=3))
    ended = attempt(trial, SPARED)
    remains = remains_of(trial, ended.last)
    faults = [fault for invariant in INVARIANTS for fault in invariant(remains)]
    assert (ended.code, ended.stderr, remains.unknown, faults) == (0, "", set(), [])


@pytest.mark.parametrize("number", [2, 5])
def test_a_kill_between_a_steps_last_write_and_its_checkpoint_is_not_the_end(
    tmp_path: Path, number: int
) -> None:
    trial = Trial(tmp_path / "run", errand(2, turns=1))
    assert attempt(trial, Kill("", environ={"KILL_AT": f"aput:{number}:before"})).killed
    remains = remains_of(trial, attempt(trial, SPARED).last)
    assert [fault for invariant in INVARIANTS for fault in invariant(remains)] == []


def test_a_task_survives_being_killed_again_and_again(tmp_path: Path) -> None:
    tally = torture(8, Random(), tmp_path, say=lambda line: None)
    assert (tally.kills.total(), tally.faults) == (8, [])


@pytest.mark.parametrize("number", range(3))
def test_of_two_processes_on_one_thread_one_goes_on_and_one_is_told(
    tmp_path: Path, number: int
) -> None:
    assert race(tmp_path / "race").faults == []
