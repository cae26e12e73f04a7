"""Two changes as one give what they give one after the other."""

from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.textedits.compose import compose_edits
from maxagent.tools.textedits.text_edits import TextEdit, apply_edits


@st.composite
def changes(draw: st.DrawFn, text: str) -> list[TextEdit]:
    places = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pairs = zip(places[::2], places[1::2], strict=False)
    parts = list[TextEdit]()
    for start, end in pairs:
        if not parts or start > parts[-1].end:
            parts.append(TextEdit(start, end, draw(st.text("xy\n", max_size=3))))
    return parts


@given(st.text("abc\n", max_size=20), st.data())
def test_the_composed_pieces_do_both(text: str, data: st.DataObject) -> None:
    first = data.draw(changes(text))
    between = apply_edits(text, first)
    second = data.draw(changes(between))
    both = compose_edits(first, second)
    assert apply_edits(text, both) == apply_edits(between, second)
    assert all(item.end < other.start for item, other in zip(both, both[1:], strict=False))


@given(st.text("abc\n", max_size=20), st.data())
def test_what_neither_touches_is_in_no_piece(text: str, data: st.DataObject) -> None:
    first = data.draw(changes(text))
    assert apply_edits(text, compose_edits(first, [])) == apply_edits(text, first)
    assert apply_edits(text, compose_edits([], first)) == apply_edits(text, first)


def test_later_change_may_cover_or_cut_earlier_one() -> None:
    assert compose_edits([TextEdit(2, 3, "xyz")], [TextEdit(3, 4, "")]) == (TextEdit(2, 3, "xz"),)
    assert compose_edits([TextEdit(2, 3, "xyz")], [TextEdit(1, 6, "n")]) == (TextEdit(1, 4, "n"),)
    assert compose_edits([TextEdit(2, 3, "")], [TextEdit(9, 9, "n")]) == (
        TextEdit(2, 3, ""),
        TextEdit(10, 10, "n"),
    )
