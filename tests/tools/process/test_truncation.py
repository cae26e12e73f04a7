import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.tools.process.truncation import clean_text, make_excerpt


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"plain\n\ttext\n", "plain\n\ttext\n"),
        (b"\x1b[1;31mred\x1b[0m", "red"),
        (b"\x1b]0;title\x07a\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "alink"),
        (b"\x1bPstring\x1b\\a\x1b(Bb", "ab"),
        (b"bell\x07 nul\x00 back\x08 del\x7f", "bell nul back del"),
        (b"\xc2\x9b31m c1", "31m c1"),
        (b"win\r\nlines\r\n", "win\nlines\n"),
        (b" 10%\r 50%\r100%\ndone", "100%\ndone"),
        (b"100%\r", "100%"),
        (b"\x1b]never ended\nnext\x1bPnor this\nlast", "\nnext\nlast"),
        (b"\xff\xfe caf\xc3\xa9", "\ufffd\ufffd café"),
    ],
)
def test_control_characters_go_and_text_stays(data: bytes, text: str) -> None:
    assert clean_text(data) == text


@given(st.binary())
def test_nothing_that_moves_a_cursor_gets_through(data: bytes) -> None:
    assert all(
        letter in "\n\t" or letter.isprintable() or ord(letter) > 159 for letter in clean_text(data)
    )


def test_megabyte_on_one_line_cleans_in_linear_time() -> None:
    assert len(clean_text(b"x" * 1_000_000)) == 1_000_000


def test_a_short_output_is_whole() -> None:
    assert make_excerpt(b"1\n2\n", keep=2) == "1\n2\n"


def test_long_output_keeps_both_ends_and_counts_cut() -> None:
    data = b"".join(b"line %d\n" % number for number in range(1000))
    text = make_excerpt(data, "ask for less", keep=20)
    cut = "[… 8,858 bytes, 996 lines cut; ask for less …]"
    assert text == f"line 0\nline 1\n{cut}\nline 998\nline 999\n"


def test_one_long_line_is_cut_anywhere() -> None:
    assert make_excerpt(b"a" * 10 + b"b" * 10, keep=3) == "aaa\n[… 14 bytes, 0 lines cut …]\nbbb"


@given(st.binary(min_size=9, max_size=200), st.integers(1, 4))
def test_an_excerpt_accounts_for_every_byte(data: bytes, keep: int) -> None:
    cut = make_excerpt(data, keep=keep).split("[… ")[-1].split(" bytes, ")
    count = len(data) - int(cut[0].replace(",", ""))
    assert 0 < count <= 2 * keep
