"""Lines are shown with their numbers."""

from maxagent.tools.filesystem.line_numbers import numbered


def test_numbers_stand_right_and_the_line_comes_as_it_is() -> None:
    assert numbered(["a", "", "\tb "], 9) == "     9→a\n    10→\n    11→\tb "
    assert numbered([], 1) == ""


def test_a_long_line_is_cut_and_says_by_how_much() -> None:
    assert numbered(["x" * 2000], 1) == "     1→" + "x" * 2000
    assert numbered(["x" * 3001], 1) == "     1→" + "x" * 2000 + "… [1,001 more characters]"


def test_bytes_that_are_no_text_are_shown_as_escapes() -> None:
    assert numbered(["a\udcff"], 1) == "     1→a\\xff"
