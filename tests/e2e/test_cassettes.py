"""Recorded runs play through the real graph, and cost no more than when they were recorded."""

import json
import platform
from pathlib import Path

import pytest
from recordings import CASES, count_work, run_case

pytestmark = pytest.mark.skipif(
    platform.system() != "Linux", reason="the recordings name their system in the prompt"
)
OUTCOMES = {"chat": "answered", "task": "verified"}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.parent.name)
def test_recorded_run_ends_as_recorded(case: Path, tmp_path: Path) -> None:
    log, events = run_case(case, tmp_path, f"replay/{case.parent / 'run.jsonl'}")
    assert events[-1].get("outcome") == OUTCOMES[case.parent.name], events[-1]
    allowed = json.loads((case.parent / "counters.json").read_text())
    counted = count_work(log)
    assert counted["bytes changed in the prefix"] == 0
    assert counted["requests"] == allowed["requests"]
    assert counted["bytes"] <= 1.05 * allowed["bytes"], "run `make cassettes` and say why"
