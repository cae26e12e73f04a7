"""Suites of other agents show no wrong edit, no rule that opens, no difference without reason."""

from pathlib import Path

import pytest
from peer_suite import FOLDER, PeerSuite, load_suite, load_suites
from peers import ADAPTERS, play_suite, render_part


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.yaml")), ids=lambda path: path.stem)
def test_no_case_of_a_suite_is_wrong(path: Path, tmp_path: Path) -> None:
    suite = load_suite(path)
    report = play_suite(suite, tmp_path / "suite")
    assert report.faults == []
    assert set(report.differences) <= set(suite.reasons)


def test_there_are_suites_of_each_kind() -> None:
    suites = load_suites()
    assert {suite.kind for suite in suites} == set(ADAPTERS)
    assert len(suites) >= 12


def test_wrong_case_is_reported(tmp_path: Path) -> None:
    cases = [
        {"case": "wrong", "before": "a\n", "old": "a", "new": "b", "after": "c\n"},
        {"case": "refused", "before": "a\n", "old": "x", "new": "b", "after": "b\n"},
        {"case": "same", "before": "a\n", "old": "a", "new": "b", "after": "b\n"},
    ]
    report = play_suite(PeerSuite("mine", "here", "edits", {}, cases), tmp_path)
    assert [outcome.fate for outcome in report.outcomes] == ["wrong", "unnamed", "same"]
    assert "| mine | edits | 3 | 1 | 0 | 1 | 1 |" in render_part("2026-01-01", [report])
