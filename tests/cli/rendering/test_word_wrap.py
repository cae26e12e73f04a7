from hypothesis import given
from hypothesis import strategies as some

from maxagent.cli.rendering.line_breaks import split_rows
from maxagent.cli.rendering.word_wrap import WordFlow

WORDS = some.text(alphabet="ab 字，.\n", max_size=120)


def shown(pieces: list[str], width: int) -> str:
    flow = WordFlow()
    return "".join([*(flow.add_text(piece, width) for piece in pieces), flow.flush()])


@given(some.lists(WORDS, max_size=6), some.integers(4, 30))
def test_text_in_any_chunks_wraps_like_the_whole(pieces: list[str], width: int) -> None:
    lines = [line.rstrip(" ") for line in shown(pieces, width).split("\n")]
    assert lines == [row.rstrip(" ") for row in split_rows("".join(pieces), width)]


def test_word_waits_until_it_is_known_to_fit() -> None:
    flow = WordFlow()
    assert [flow.add_text(piece, 10) for piece in ("one tw", "o th", "ree", " four")] == [
        "one", " two", "\n", "three",
    ]  # fmt: skip
    assert flow.flush() == " four"
