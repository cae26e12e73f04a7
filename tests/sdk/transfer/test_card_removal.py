"""An exported thread holds no cards, whichever way a model was shown them."""

import pytest

from maxagent.sdk.transfer.card_removal import LEFT_OUT, remove_cards


@pytest.mark.parametrize(
    "line",
    [
        "- [fact] My boss is (very) strict (card 3f2a91c4, 2026-11-23, by the user)",
        "1. [decision] Use tabs (3f2a91c4, 2026-11-23, by the model, thread 0badcafe, score 3.1)",
        "12. [general] 记住 (3f2a91c4, 2026-11-23, by the user)",
    ],
)
def test_line_of_a_card_is_left_out(line: str) -> None:
    mark = line.split("[")[0]
    text = f"<memory>\nBefore.\n{line}\n{line}\n</memory>"
    assert remove_cards(text) == f"<memory>\nBefore.\n{mark}{LEFT_OUT}\n{mark}{LEFT_OUT}\n</memory>"


@pytest.mark.parametrize(
    "text", ["- [x] done (by the user)", "", "- [fact] Nothing (2026), by the user", "1. a\n2. b"]
)
def test_other_text_is_kept(text: str) -> None:
    assert remove_cards(text) == text
