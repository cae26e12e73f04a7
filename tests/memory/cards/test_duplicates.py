"""Cards that say the same, or nearly so."""

import pytest

from maxagent.memory.cards.card import Card
from maxagent.memory.cards.duplicates import find_similar

CARDS = [
    Card("tests", "Run the slow tests with make test-slow before a release"),
    Card("port", "The test database of the shop listens on port 5432 of the host named green"),
    Card("module", "The module number 14 of the plan imports the name alpha14 as beta42"),
    Card("zh", "提交代码之前必须运行格式检查"),
]


@pytest.mark.parametrize(
    ("content", "card_id", "is_same"),
    [
        ("run the slow test with `make test-slow` before a release!", "tests", True),
        ("Run the slow tests with make test-slow before each merge", "tests", False),
        (
            "The test database of the shop listens on port 5433 of the host named green",
            "port",
            False,
        ),
        ("module number 14 of the plan imports the name alpha14 as beta42", "module", True),
        ("提交代码之前，必须运行格式检查", "zh", True),
        ("提交代码之前必须运行单元测试", "zh", False),
    ],
)
def test_similar_card_is_found(content: str, card_id: str, is_same: bool) -> None:
    similar = find_similar(content, CARDS)
    assert similar and (similar.card.id, similar.is_same) == (card_id, is_same)


def test_several_other_numbers_are_about_something_else() -> None:
    content = "The module number 7 of the plan imports the name alpha7 as beta21"
    assert find_similar(content, CARDS) is None


@pytest.mark.parametrize("content", ["Something else entirely", "别的事情", "", "run"])
def test_other_text_has_no_similar_card(content: str) -> None:
    assert find_similar(content, CARDS) is None
    assert find_similar(content, []) is None
