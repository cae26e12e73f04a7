"""NUL and half characters."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.models.text_cleanup import CharacterJoiner, repair_text


@pytest.mark.parametrize(
    ("text", "repaired"),
    [
        ("plain 中文 😀", "plain 中文 😀"),
        ("a\0b", "ab"),
        ("\ud83d\ude00", "😀"),
        ("a\ud83d", "a�"),
        ("\ude00a", "�a"),
    ],
)
def test_text_is_repaired(text: str, repaired: str) -> None:
    assert repair_text(text) == repaired


@given(st.text(st.characters() | st.sampled_from("\ud83d\ude00\0"), max_size=12), st.data())
def test_it_does_not_matter_where_the_portions_end(text: str, data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(text)))
    joiner = CharacterJoiner()
    joined = joiner.feed(text[:at]) + joiner.feed(text[at:]) + joiner.close()
    assert joined == repair_text(text)
