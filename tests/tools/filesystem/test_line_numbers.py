"""Lines are shown with their numbers."""

from maxagent.tools.filesystem.line_numbers import format_lines


def test_numbers_are_right_aligned_and_lines_unchanged() -> None:
    assert format_lines(["a", "", "\tb "], 9) == "     9→a\n    10→\n    11→\tb "
    assert format_lines([], 1) == ""


def test_long_line_is_cut_with_the_amount_shown() -> None:
    assert format_lines(["x" * 2000], 1) == "     1→" + "x" * 2000
    assert format_lines(["x" * 3001], 1) == "     1→" + "x" * 2000 + "… [1,001 more characters]"


def test_bytes_that_are_not_text_become_escapes() -> None:
    assert format_lines(["a\udcff"], 1) == "     1→a\\xff"
