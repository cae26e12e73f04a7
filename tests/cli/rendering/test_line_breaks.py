import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rich.text import Text

from maxagent.cli.rendering.line_breaks import cut_text, fill_rows, wrap_text
from maxagent.cli.rendering.text_width import measure_width

TEXTS = st.text(st.sampled_from("ab c中文，。（）\t-e\u0301"), max_size=80)


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("one two three", ["one two", "three"]),
        ("", [""]),
        ("a\n\nb", ["a", "", "b"]),
        ("abcdefghij", ["abcdefgh", "ij"]),
        ("ab cdefghijkl", ["ab", "cdefghij", "kl"]),
        ("中文中文中文", ["中文中文", "中文"]),
        ("我用 foo 写代码", ["我用 foo", "写代码"]),
        ("一二三四，五", ["一二三", "四，五"]),
        ("一二三（四五", ["一二三", "（四五"]),
        ("one   two    three", ["one", "two", "three"]),
    ],
)
def test_rows_end_between_words_and_chinese_characters(text, rows):
    assert [row.plain for row in wrap_text(Text(text), 8)] == rows


@pytest.mark.parametrize(
    "text",
    [
        "修改了 src/abcdefgh。",
        "修改了 src/abcdefgh，然后",
        "见 shop/pricesabc）的说明",
        "see src/long/abcde, and",
        "see src/long/abcdef.",
        "“shop/prices/abc”。",
        "a/very/long/path/of/twelve！",
        "https://docs.python.org/3/x#round。",
        "see https://docs.python.org/3/x#round.",
        "（https://docs.python.org/3/x#round）。",
    ],
)
@pytest.mark.parametrize("width", range(8, 24))
def test_closing_punctuation_never_begins_a_row(text: str, width: int) -> None:
    rows = [row.plain for row in wrap_text(Text(text), width, keeps_addresses=True)]
    assert not {row[0] for row in rows if row} & set("。，）.,”！"), rows


@given(TEXTS, st.integers(2, 30))
@example("a中。", 3)
def test_wrapped_rows_fit_and_lose_only_spaces(text, width):
    rows = [row.plain for row in wrap_text(Text(text), width)]
    assert max(map(measure_width, rows)) <= width
    assert "".join("".join(rows).split()) == "".join(text.split())


@given(TEXTS, st.integers(2, 30))
def test_code_is_cut_without_losing_anything(text, width):
    rows = [row.plain for row in cut_text(Text(text), width)]
    assert max(map(measure_width, rows)) <= width
    output = Text(text)
    output.expand_tabs(4)
    assert "".join(rows) == output.plain


def test_styles_go_on_in_the_next_row():
    first, second = wrap_text(Text.assemble("one ", ("two three", "bold")), 8)
    assert first.spans[-1].style == second.spans[0].style == "bold"


@pytest.mark.parametrize(
    ("parts", "rows"),
    [
        ([], []),
        (["a", "b"], ["a · b"]),
        (["type", "! runs a command", "b"], ["type", "! runs a", "command", "b"]),
        (["输入", "! 运行", "x"], ["输入", "! 运行", "x"]),
    ],
)
def test_parts_stay_whole_where_they_fit(parts: list[str], rows: list[str]) -> None:
    assert fill_rows(parts, " · ", 8) == rows


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("/home/me/data/outputs/attempts", ["/home/me/data/", "outputs/", "attempts"]),
        ("see /home/me/data/outputs/x", ["see", "/home/me/data/", "outputs/x"]),
        ("a/bcdefghijklmnopqrst", ["a/bcdefghijklmn", "opqrst"]),
        ("src/cart/prices.py", ["src/cart/", "prices.py"]),
        ("abcdefghijklmno/pq", ["abcdefghijklmno", "/pq"]),
    ],
)
def test_long_path_is_broken_between_its_parts(text: str, rows: list[str]) -> None:
    assert [row.plain for row in wrap_text(Text(text), 15)] == rows
