"""Cards at the end of a summary."""

import pytest

from maxagent.nodes.cards.proposals import Candidate
from maxagent.nodes.compaction.summary import split_candidates

NOTE = "**Asked now**: repair the cart."


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (NOTE, []),
        (f"{NOTE}\n\nCARDS\n", []),
        (
            f"{NOTE}\n\nCARDS\n- fact: The API needs VPN.",
            [Candidate("The API needs VPN.", "fact")],
        ),
        (
            f"{NOTE}\n\n## CARDS:\n* **decision**: 用 SQLite。\n- preference：回答要短",
            [Candidate("用 SQLite。", "decision"), Candidate("回答要短", "preference")],
        ),
        (f"{NOTE}\n\nCARDS\n- rumour: x\n- no type\nwords\n", []),
    ],
)
def test_last_section_becomes_candidates(answer: str, expected: list[Candidate]) -> None:
    assert split_candidates(answer) == (NOTE, expected)


def test_a_sentence_about_cards_stays() -> None:
    text = f"{NOTE}\nThe page CARDS lists all cards."
    assert split_candidates(text) == (text, [])
