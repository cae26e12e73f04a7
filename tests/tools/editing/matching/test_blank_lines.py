"""Empty lines between paired lines stand for each other."""

import pytest

from maxagent.tools.editing.matching.blank_lines import with_empty_lines
from maxagent.tools.editing.matching.document import TextDocument


@pytest.mark.parametrize(
    ("old", "text", "pairs"),
    [
        (["a", "", "b"], "a\n\nb\n", [0, 1, 2]),
        (["a", "", "", "b"], "a\n\nb\n", [0, 1, None, 2]),
        (["a", "", "b"], "a\n\n\nb\n", [0, 1, 3]),
        (["a", "b"], "a\n\nb\n", [0, 2]),
        (["", "a", "b"], "\na\nb\n", [None, 1, 2]),
    ],
)
def test_pairs(old: list[str], text: str, pairs: list[int | None]) -> None:
    source = TextDocument(text)
    places = [place for place, line in enumerate(old) if line]
    filled = dict(zip(places, source.filled_lines, strict=True))
    assert with_empty_lines(old, filled, source) == pairs


def test_empty_lines_around_an_omitted_line_are_paired() -> None:
    source = TextDocument("a\n\nx\n\nb\n")
    assert with_empty_lines(["a", "", "", "b"], {0: 0, 3: 4}, source) == [0, 1, 3, 4]
