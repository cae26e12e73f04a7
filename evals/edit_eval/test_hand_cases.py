"""Every hand-written case is right, whatever tool it calls."""

from pathlib import Path

import pytest
from case_verdict import play, says
from hand_cases import Case, CaseError, cases

CASES = cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.topic}: {case.name}")
def test_a_case_is_right(case: Case, tmp_path: Path) -> None:
    verdict = play(case, tmp_path / "project")
    assert (verdict.fate, verdict.why) == ("right", "")


def test_there_are_enough_cases_of_both_halves() -> None:
    must_apply = [case for case in CASES if case.refused is None]
    must_refuse = [case for case in CASES if case.after is None]
    assert (len(CASES) >= 250, len(must_apply) >= 100, len(must_refuse) >= 100) == (True,) * 3


@pytest.mark.parametrize(
    ("text", "word", "found"),
    [("at lines 2, 14", "2", True), ("at lines 12, 14", "2", False), ("READ it", "read", True),
     ("line 7", "6|7", True), ("line 7", "5|6", False)],
)  # fmt: skip
def test_a_number_is_found_as_a_whole_only(text: str, word: str, found: bool) -> None:
    assert says(text, word) == found


def test_case_with_unknown_key_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("cases:\n- {case: a, old: b, new: c, aftre: d}\n")
    with pytest.raises(CaseError, match="aftre"):
        cases(tmp_path)


def test_two_cases_of_one_name_are_an_error(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_text("cases:\n" + "- {case: a, old: b, new: c, after: d}\n" * 2)
    with pytest.raises(CaseError, match="several"):
        cases(tmp_path)
