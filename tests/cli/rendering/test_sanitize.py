import json
import sys
import unicodedata

import pytest
from hostile_text import CORPUS, HELD, STEERING, find_stray
from hypothesis import given
from hypothesis import strategies as st

from maxagent.cli.rendering.sanitize import (
    MAX_ACCENTS,
    escape_hidden,
    sanitize_line,
    sanitize_text,
    to_safe_json,
)

HONEST = [
    "plain, 中文 and\ttab\n",
    "naïve façade, Việt Nam, ȩ̈, Ελληνικά, кириллица",
    "שָׁלוֹם עולם · مرحبا بالعالم · नमस्ते · ภาษาไทย · བོད་སྐད · 한국어 · 日本語",
    "⚠️ ❤️ ✔︎ 1️⃣ 👍🏽 🇩🇪 ☑ → ∑ │└─ █▓▒░ “quotes” … —",
    "\u00a0\u202f\u3000 blanks of a width, \ue0a0 private, \ufffd",
]


# What people write with characters that show nothing by themselves
JOINED = [
    "نمی\u200cخواهم این پرونده\u200cها را پاک کنم؛ نظر\u200cها را بخوان.",
    "ශ්\u200dරී ලංකා · র\u200d্যাম · ക്\u200d · क्\u200dष",
    "👩\u200d💻 👨\u200d👩\u200d👧\u200d👦 🏳️\u200d🌈 ❤️\u200d🔥 🧑🏽\u200d🚀 🤷\u200d♀️ 👁️\u200d🗨️",
    "ភាសា\u200bខ្មែរ · ภาษา\u200bไทย · မြန်မာ\u200bစာ",
    "葛\U000e0100城市 · 辻\U000e0101さん · 神\ufe00",
    "ᠮᠣᠩᠭ\u180eᠣᠯ · ᠨᠠ\u180bᠢᠮᠠ",
]


@pytest.mark.parametrize("text", JOINED)
def test_joiners_of_a_script_stay_in_text(text: str) -> None:
    assert sanitize_text(text) == text
    assert to_safe_json(text) == json.dumps(text, ensure_ascii=False)


@pytest.mark.parametrize("text", JOINED)
def test_joiners_are_seen_in_a_command(text: str) -> None:
    assert not HELD & set(escape_hidden(text))
    assert sanitize_text(escape_hidden(text)) == escape_hidden(text) != text


@pytest.mark.parametrize("text", HONEST)
def test_honest_text_stays_as_it_is(text: str) -> None:
    assert sanitize_text(text) == text
    assert to_safe_json(text) == json.dumps(text, ensure_ascii=False)


@pytest.mark.parametrize(
    ("text", "output"),
    [
        ("\x1b[31mred", r"\x1b[31mred"),
        ("a\r\nb\rc", "a\nb\\rc"),
        ("safe\b\b\b\brm", r"safe\x08\x08\x08\x08rm"),
        ("\x9b2J \x9d52;c;eA==\x9c \x7f", r"\x9b2J \x9d52;c;eA==\x9c \x7f"),
        ("\x1b]8;;https://evil.example\x1b\\here", r"\x1b]8;;https://evil.example\x1b\here"),
        ("\u202etxt.exe \u200b\ufeff\u061c", r"\u202etxt.exe \u200b\ufeff\u061c"),
        ("rm\U000e0072\U000e0001", r"rm\U000e0072\U000e0001"),
        ("a\ufe0f ⚠\ufe0f\ufe0f \U000e0100", "a\\ufe0f ⚠\ufe0f\\ufe0f \\U000e0100"),
        ("a\u200d💻 👩\u200d", r"a\u200d💻 👩\u200d"),
        ("👩\u200d\u200d💻", r"👩\u200d\u200d💻"),
        ("r\u200cm می\u200cm \u200cمی\u200c", r"r\u200cm می\u200cm \u200cمی\u200c"),
        ("ab\u200bcd ภา\u200b", r"ab\u200bcd ภา\u200b"),
        (
            "辻\U000e0100\U000e0100 \U000e0100",
            r"辻\U000e0100\U000e0100 \U000e0100".replace("辻\\U000e0100", "辻\U000e0100", 1),
        ),
        ("🏴\U000e0067\U000e007f", r"🏴\U000e0067\U000e007f"),
        ("می\u200f\u202bخواهم", r"می\u200f\u202bخواهم"),
        ("\ud83d", r"\ud83d"),
        ("a\u2028b\u2029c\x85d", r"a\u2028b\u2029c\x85d"),
    ],
)
def test_what_could_steer_a_terminal_is_made_visible(text: str, output: str) -> None:
    assert sanitize_text(text) == output


@pytest.mark.parametrize("text", CORPUS, ids=ascii)
def test_hostile_text_is_seen_for_what_it_is(text: str) -> None:
    assert STEERING & set(sanitize_text(text)) == set()
    assert len(sanitize_line(text).splitlines()) <= 1


def test_control_and_hidden_characters_are_all_escaped() -> None:
    text = "".join(map(chr, range(sys.maxunicode + 1)))
    assert STEERING & set(sanitize_text(text)) == set()
    assert STEERING & set(to_safe_json(text)) == set()


@given(st.text(st.sampled_from([*STEERING, *HELD, *"a中⚠️می👩[]()\n\t\r\\"])))
def test_split_text_leaves_no_control_sequence(text: str) -> None:
    assert find_stray(sanitize_text(text)) == []
    assert STEERING & set("".join(map(sanitize_text, text))) == set()
    assert sanitize_text(sanitize_text(text)) == sanitize_text(text)


@given(st.lists(st.sampled_from(["a", "é", "\u0301", "\u20dd", "\u05b0", "—"])).map("".join))
def test_accents_do_not_pile_up(text: str) -> None:
    flood = text + "\u0301" * 50
    heap = tallest = 0
    for char in sanitize_text(flood):
        heap = heap + 1 if unicodedata.category(char) in ("Mn", "Me") else 0
        tallest = max(tallest, heap)
    assert tallest <= MAX_ACCENTS


@given(st.text())
def test_a_line_is_one_line(text: str) -> None:
    assert len(sanitize_line(text).splitlines()) <= 1


@given(st.recursive(st.text(), lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner)))
def test_json_says_the_same_and_nothing_that_steers(value: object) -> None:
    safe_json = to_safe_json(value)
    assert find_stray(safe_json) == []
    assert json.loads(safe_json) == value
