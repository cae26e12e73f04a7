import pytest

from maxagent.cli.rendering.text_width import measure_width, shorten_text


@pytest.mark.parametrize(
    ("text", "width"), [("", 0), ("abc", 3), ("标题", 4), ("e\u0301", 1), ("ｆｕｌｌ", 8)]
)
def test_the_width_is_what_a_screen_needs(text: str, width: int) -> None:
    from rich.cells import cell_len

    assert measure_width(text) == width == cell_len(text)


@pytest.mark.parametrize(
    ("text", "short"),
    [("abc", "abc"), ("abcdef", "abcdef"), ("abc efg", "abc e…"), ("ab cdefg", "ab cd…"),
     ("标题标题", "标题…"), ("标题标", "标题标"), ("abcd efgh", "abcd…")],
)  # fmt: skip
def test_long_text_fits_and_ends_with_ellipsis(text: str, short: str) -> None:
    assert shorten_text(text, 6) == short and measure_width(short) <= 6
