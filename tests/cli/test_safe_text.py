import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.cli.safe_text import safe, safe_line


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain, 中文 and\ttab\n", "plain, 中文 and\ttab\n"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\r\nb\rc", "a\nb\\rc"),
        ("\x9b2J \x7f", r"\x9b2J \x7f"),
        ("\u202etxt.exe \u200b\ufeff", r"\u202etxt.exe \u200b\ufeff"),
    ],
)
def test_what_could_steer_a_terminal_is_made_visible(text: str, shown: str) -> None:
    assert safe(text) == shown


@given(st.text())
def test_no_control_character_is_left(text: str) -> None:
    left = {char for char in safe(text) if unicodedata.category(char) == "Cc"}
    assert left <= {"\n", "\t"}


@given(st.text())
def test_a_line_is_one_line(text: str) -> None:
    assert len(safe_line(text).splitlines()) <= 1
