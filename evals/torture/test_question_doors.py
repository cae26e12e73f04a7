"""One sentence at each door; `make torture-questions` types forty."""

from question_doors import DOORS, play


def test_sentence_is_no_consent_at_any_door() -> None:
    faults, _ = play(len(DOORS), seed=4, at_once=len(DOORS))
    assert faults == []
