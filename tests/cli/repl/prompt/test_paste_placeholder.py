import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.cli.repl.prompt.paste_placeholder import FOLDED_CHARACTERS, Pastes

SIX = "\n".join("abcdef")


@pytest.mark.parametrize(
    "pasted, folded",
    [
        ("one", "one"),
        ("one\r\ntwo\rthree", "one\ntwo\nthree"),
        ("1\n2\n3\n4\n", "1\n2\n3\n4\n"),
        (SIX, "[Pasted text #1 +6 lines]"),
        (SIX + "\n", "[Pasted text #1 +6 lines]"),
        ("x" * FOLDED_CHARACTERS, "[Pasted text #1 +1 line]"),
        ("", ""),
    ],
)
def test_only_a_long_text_is_folded(pasted: str, folded: str) -> None:
    assert Pastes().folded(pasted) == folded


def test_each_paste_has_a_mark_of_its_own_and_what_only_looks_like_one_is_text() -> None:
    pastes = Pastes()
    first, second = pastes.folded(SIX), pastes.folded(SIX.upper())
    typed = f"compare {first} and {second}, not [Pasted text #9 +6 lines]"
    assert pastes.unfolded(typed) == (
        f"compare {SIX} and {SIX.upper()}, not [Pasted text #9 +6 lines]"
    )
    assert pastes.mark_at_end(f"compare {first}") == first
    assert pastes.mark_at_end(typed) == pastes.mark_at_end(first[:-1]) == ""


def test_a_mark_inside_of_a_pasted_text_is_not_unfolded_again() -> None:
    pastes = Pastes()
    mark = pastes.folded(f"[Pasted text #1 +6 lines]\n{SIX}")
    assert pastes.unfolded(mark).count("\n") == 6


@given(st.lists(st.text(alphabet="ab\n\r[]#", max_size=40), max_size=5))
def test_whatever_is_pasted_comes_out_again(texts: list[str]) -> None:
    pastes = Pastes()
    typed = "|".join(pastes.folded(text) for text in texts)
    assert pastes.unfolded(typed) == "|".join(
        text.replace("\r\n", "\n").replace("\r", "\n") for text in texts
    )
