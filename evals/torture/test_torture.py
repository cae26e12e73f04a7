"""A short torture in the suite; `make torture N=200` is the long one."""

from pathlib import Path
from random import Random
from types import ModuleType

import agents_victim
import mcp_victim
import pytest
import victim
from errand import errand
from invariants import faults_in, remains_of
from kills import SPARED, Kill, attempt
from rivals import race
from seeds import any_seed
from torture import MAX_QUESTIONS, torture
from trial import Trial


@pytest.mark.parametrize("module", [victim, agents_victim, mcp_victim])
def test_every_place_to_die_exists(module: ModuleType) -> None:
    missing = {place for place, held in module.PLACES.items() if not hasattr(*held)}
    assert missing == set()


def test_undisturbed_run_acts_once_and_knows_outcomes(tmp_path: Path) -> None:
    trial = Trial(tmp_path / "run", errand(1, turns=3))
    ended = attempt(trial, SPARED)
    remains = remains_of(trial, ended.last)
    assert (ended.code, ended.stderr, remains.unknown) == (0, "", set())
    assert faults_in(remains) == []


def test_undisturbed_asking_run_acts_once(tmp_path: Path) -> None:
    trial = Trial(tmp_path / "run", errand(24, turns=1), mode="ask")  # reads, edits, writes, runs
    ends = (attempt(trial, SPARED) for _ in range(MAX_QUESTIONS))
    ended = next(one for one in ends if one.last.get("type") != "question")
    remains = remains_of(trial, ended.last)
    assert (ended.code, ended.stderr, remains.unknown) == (0, "", set())
    assert faults_in(remains) == []


def test_kill_between_write_and_checkpoint_is_survived(
    tmp_path: Path,
) -> None:
    trial = Trial(tmp_path / "run", errand(2, turns=1))
    assert attempt(trial, Kill("", environ={"KILL_AT": "aput:5:before"})).killed
    remains = remains_of(trial, attempt(trial, SPARED).last)
    assert faults_in(remains) == []


def test_a_task_survives_being_killed_again_and_again(tmp_path: Path) -> None:
    seed = any_seed(1)
    tally = torture(3, Random(seed), tmp_path, say=lambda line: None)
    assert (tally.kills.total(), tally.faults) == (3, []), f"seed {seed}"


def test_second_process_on_same_thread_is_refused(tmp_path: Path) -> None:
    assert race(tmp_path / "race").faults == []
