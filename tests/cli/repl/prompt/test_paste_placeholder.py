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
    assert Pastes().fold_text(pasted) == folded


def test_each_paste_has_own_mark_and_lookalikes_stay() -> None:
    pastes = Pastes()
    first, second = pastes.fold_text(SIX), pastes.fold_text(SIX.upper())
    typed = f"compare {first} and {second}, not [Pasted text #9 +6 lines]"
    assert pastes.expand_marks(typed) == (
        f"compare {SIX} and {SIX.upper()}, not [Pasted text #9 +6 lines]"
    )
    assert pastes.find_mark_at_end(f"compare {first}") == first
    assert pastes.find_mark_at_end(typed) == pastes.find_mark_at_end(first[:-1]) == ""


def test_mark_inside_pasted_text_is_not_expanded() -> None:
    pastes = Pastes()
    mark = pastes.fold_text(f"[Pasted text #1 +6 lines]\n{SIX}")
    assert pastes.expand_marks(mark).count("\n") == 6


@given(st.lists(st.text(alphabet="ab\n\r[]#", max_size=40), max_size=5))
def test_whatever_is_pasted_comes_out_again(texts: list[str]) -> None:
    pastes = Pastes()
    typed = "|".join(pastes.fold_text(text) for text in texts)
    assert pastes.expand_marks(typed) == "|".join(
        text.replace("\r\n", "\n").replace("\r", "\n") for text in texts
    )
