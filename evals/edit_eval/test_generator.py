"""A small batch of generated edits: nothing is ever written wrong. `make edit-eval` runs many."""

from collections import Counter

import pytest
from edit_eval import run_edits
from generator import KINDS, generate
from project import InProcess
from request import ADVERSARIAL, HONEST, Kind
from scoring import Outcome

SEED = 20


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[Outcome]:
    folder = tmp_path_factory.mktemp("edits")
    return run_edits(list(KINDS.values()), 1, SEED, folder / "project", InProcess)


def wrong(outcomes: list[Outcome], half: dict[str, Kind]) -> list[str]:
    return [
        f"{one.kind.name} {one.number}"
        for one in outcomes
        if one.fate == "WRONG" and one.kind.name in half
    ]


def test_no_adversarial_edit_is_wrong(outcomes: list[Outcome]) -> None:
    assert wrong(outcomes, ADVERSARIAL) == []


def test_no_honest_edit_is_wrong(outcomes: list[Outcome]) -> None:
    assert wrong(outcomes, HONEST) == []


def test_nearly_all_honest_edits_are_right(outcomes: list[Outcome]) -> None:
    fates = Counter(one.fate for one in outcomes if one.kind.name in HONEST)
    assert fates["right"] >= 0.9 * fates.total()


def test_refusals_name_the_place(outcomes: list[Outcome]) -> None:
    placed = [one.placed for one in outcomes if one.placed is not None]
    assert len(placed) > 20 and sum(placed) >= 0.9 * len(placed)


def test_there_are_enough_ways_to_garble() -> None:
    assert (len(HONEST) >= 20, len(ADVERSARIAL) >= 10) == (True, True)


@pytest.mark.parametrize("name", ["exact", "depth_lost", "unified_right", "stale_number"])
def test_the_same_seed_makes_the_same_request(name: str) -> None:
    first, second, other = (generate(KINDS[name], seed, 5) for seed in (1, 1, 2))
    assert (first == second, first == other) == (True, False)
