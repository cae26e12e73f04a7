"""Two changes as one give what they give one after the other."""

from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.textedits.compose import compose
from maxagent.tools.textedits.text_edits import Piece, put


@st.composite
def changes(draw: st.DrawFn, text: str) -> list[Piece]:
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pairs = zip(places[::2], places[1::2], strict=False)
    pieces = list[Piece]()
    for start, end in pairs:
        if not pieces or start > pieces[-1].end:
            pieces.append(Piece(start, end, draw(st.text("xy\n", max_size=3))))
    return pieces


@given(st.text("abc\n", max_size=20), st.data())
def test_the_composed_pieces_do_both(text: str, data: st.DataObject) -> None:
    first = data.draw(changes(text))
    between = put(text, first)
    second = data.draw(changes(between))
    both = compose(first, second)
    assert put(text, both) == put(between, second)
    assert all(one.end < other.start for one, other in zip(both, both[1:], strict=False))


@given(st.text("abc\n", max_size=20), st.data())
def test_what_neither_touches_is_in_no_piece(text: str, data: st.DataObject) -> None:
    first = data.draw(changes(text))
    assert put(text, compose(first, [])) == put(text, first)
    assert put(text, compose([], first)) == put(text, first)


def test_a_later_change_may_cover_or_cut_an_earlier_one() -> None:
    assert compose([Piece(2, 3, "xyz")], [Piece(3, 4, "")]) == (Piece(2, 3, "xz"),)
    assert compose([Piece(2, 3, "xyz")], [Piece(1, 6, "n")]) == (Piece(1, 4, "n"),)
    assert compose([Piece(2, 3, "")], [Piece(9, 9, "n")]) == (Piece(2, 3, ""), Piece(10, 10, "n"))
