"""The harness's own counts, and one run of a good and of a bad model."""

import json

import pytest
from harness_eval import Score, compare, count_changed_bytes, find_role, run
from provider import Request
from repositories import REPOSITORIES
from weak_models import MODELS, NEVER_RIGHT

RELEASE = Score(runs=300, right=300, requests=1_000, tokens=10_000)


def build_request(*messages: str, role: str = "coder") -> Request:
    listed = [{"role": "system", "content": f"You are the {role} of MaxAgent"}]
    listed += [{"role": "user", "content": text} for text in messages]
    return Request("/", {}, json.dumps({"messages": listed}, separators=(",", ":")).encode())


@pytest.mark.parametrize(
    ("requests", "changed"),
    [
        ([build_request("a"), build_request("a", "b")], 0),
        ([build_request("a"), build_request("a", role="tester"), build_request("a", "b")], 0),
        ([build_request("abc"), build_request("abX", "d")], 3),
        ([build_request("abc", "def"), build_request("abc")], 32),
        ([build_request("a")], 0),
    ],
)
def test_changed_bytes_of_prefixes_are_counted(requests: list[Request], changed: int) -> None:
    assert count_changed_bytes(requests) == changed


@pytest.mark.parametrize(
    ("total", "faults"),
    [
        (RELEASE, 0),
        (Score(300, 300, 1_049, 9_600), 0),
        (Score(300, 299, 1_000, 10_000), 1),
        (Score(300, 300, 1_051, 10_000), 1),
        (Score(300, 300, 1_000, 9_400), 1),
        (Score(300, 300, 1_000, 10_000, prefix_bytes=1), 1),
        (Score(300, 200, 2_000, 20_000, prefix_bytes=9), 4),
    ],
)
def test_a_worse_total_is_a_fault(total: Score, faults: int) -> None:
    assert len(compare(total, RELEASE)) == faults


@pytest.mark.parametrize("name", ["needs a second try", "ignores failing tests"])
def test_a_run_ends_as_its_model_deserves(name: str) -> None:
    score = run(name, REPOSITORIES[0])
    assert (score.runs, score.right, score.prefix_bytes) == (1, 1, 0)


def test_there_are_thirty_models_and_five_languages() -> None:
    assert len(MODELS) == 30 and set(MODELS) > NEVER_RIGHT
    assert len({repository.language for repository in REPOSITORIES}) == 5
    assert find_role(build_request(role="architect")) == "architect"


def test_each_repair_changes_its_file() -> None:
    for repository in REPOSITORIES:
        assert repository.files[repository.path].count(repository.old) == 1
        assert len({repository.old, repository.new, repository.wrong}) == 3
