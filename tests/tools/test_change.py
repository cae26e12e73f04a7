"""One text is replaced by another, or the refusal says how to do better."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from maxagent.tools.change import change, listed
from maxagent.tools.result import ToolRefusal

TEXT = "one\n\ttwo  \nthree\none\n"


@pytest.mark.parametrize(
    ("old", "new", "text", "lines"),
    [
        ("two", "2", "one\n\t2  \nthree\none\n", [2]),
        ("three\none", "3", "one\n\ttwo  \n3\n", [3]),
        ("\ttwo  \n", "", "one\nthree\none\n", [2]),
        ("three", r"\g<0> $& \1 {0} %s", "one\n\ttwo  \n" + r"\g<0> $& \1 {0} %s" + "\none\n", [3]),
    ],
)
def test_the_one_place_is_replaced(old: str, new: str, text: str, lines: list[int]) -> None:
    done = change(TEXT, old, new)
    assert (done.text, done.lines) == (text, lines)


@given(st.text("ab\n", max_size=30), st.text("ab\n", min_size=1, max_size=3), st.text("abc\n"))
def test_every_place_is_replaced_as_python_does(text: str, old: str, new: str) -> None:
    assume(old in text and old != new)
    done = change(text, old, new, everywhere=True)
    assert done.text == text.replace(old, new)
    assert len(done.lines) == text.count(old)
    for line in done.lines:
        assert 1 <= line <= done.text.count("\n") + 1


def test_lines_are_told_as_they_are_after_the_change() -> None:
    assert change(TEXT, "one\n", "1\n1\n", everywhere=True).lines == [1, 5]


def test_equal_texts_are_refused() -> None:
    with pytest.raises(ToolRefusal, match="are the same"):
        change(TEXT, "two", "two")


@pytest.mark.parametrize(("text", "old", "lines"), [(TEXT, "one", "1, 4"), ("aaa", "aa", "1, 1")])
def test_several_places_are_refused_and_all_named(text: str, old: str, lines: str) -> None:
    with pytest.raises(ToolRefusal, match=f"2 times, at lines {lines}; add the lines around"):
        change(text, old, "x")


def refusal(old: str, new: str = "x", text: str = TEXT) -> str:
    with pytest.raises(ToolRefusal) as refused:
        change(text, old, new)
    return str(refused.value)


def test_a_text_that_is_not_there_is_refused_with_the_closest_lines() -> None:
    assert refusal("  two\nthree") == (
        "`old_string` is not in the file, only with other blanks; "
        "the closest lines (`·` is a blank at an end, `⇥` a tab):\n"
        "     2→⇥two··\n     3→three"
    )
    assert refusal("two\nthrees").startswith("`old_string` is not in the file; the closest lines")


def test_odd_blanks_are_made_visible() -> None:
    assert "     1→a\\xa0b\\u3000c" in refusal("a b c", text="a\u00a0b\u3000c\n")


def test_a_change_that_was_made_already_is_recognized() -> None:
    assert "may have been made already" in refusal("zwei", "three")
    assert "at line 3" in refusal("zwei", "three")


def test_with_nothing_like_it_the_advice_is_to_read_again() -> None:
    assert refusal("completely different").endswith("read the file again")
    assert refusal("anything", text="").endswith("read the file again")


def test_a_refusal_is_never_long() -> None:
    text = "".join(f"line {number}\n" for number in range(1000))
    assert refusal(text.replace("line 5\n", "line five\n"), text=text).count("\n") == 20
    with pytest.raises(ToolRefusal, match="and 980 more;"):
        change(text, "line", "row")


def test_line_numbers_are_listed() -> None:
    assert listed([3]) == "3"
    assert listed(range(1, 23)).endswith("19, 20 and 2 more")
