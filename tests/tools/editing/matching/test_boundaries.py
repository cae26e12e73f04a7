"""What ends within a word or begins within an indentation is told from what does not."""

import pytest

from maxagent.tools.editing.matching.boundaries import (
    has_own_depth,
    is_indentation_cut,
    is_indented,
    is_number_split,
    is_word_split,
)


@pytest.mark.parametrize(
    ("text", "part", "sentence", "numbers"),
    [
        ("retries = 30", "retries = 3", True, True),
        ("retries = 30", "retries = 30", False, False),
        ("username", "name", True, False),
        ("user_name", "user", True, False),
        ("v1.25", "v1.2", True, True),
        ("f(a)", "(a", False, False),
        ("naïveté", "naïvet", True, False),
        ("配置文件", "文件", False, False),
        (r"a\nname", "name", False, False),
        (r"'\xbd'", "bd'", True, False),
        (r"'\u00e4'", "e4'", True, False),
        (r"'\012'", "12'", True, True),
        (r"a\\name", "ame", True, False),
        ("abc", "abc", False, False),
    ],
)
def test_a_part_of_a_word_or_number(text: str, part: str, sentence: bool, numbers: bool) -> None:
    start = text.index(part)
    end = start + len(part)
    assert (is_word_split(text, start, end), is_number_split(text, start, end)) == (
        sentence,
        numbers,
    )


@pytest.mark.parametrize(
    ("text", "start", "cut"),
    [("    a", 2, True), ("    a", 4, False), ("    a", 0, False), ("x   a", 2, False),
     ("x\n\t\ta", 3, True)],
)  # fmt: skip
def test_an_indentation_that_is_cut(text: str, start: int, cut: bool) -> None:
    assert is_indentation_cut(text, start) == cut


@pytest.mark.parametrize(
    ("old", "new", "own"),
    [
        ("a()", "b()", False),
        ("a()", "a()\nb()", True),
        ("a()", "a()\n    b()", False),
        ("a()", "if b:\n    a()", True),
        ("a()", "if b:\n        a()", False),
        ("a()", "a()\n\n    b()\n", False),
        ("a()\n    c()", "a()\nb()", False),
    ],
)
def test_lines_not_at_the_depth_of_the_file(old: str, new: str, own: bool) -> None:
    assert has_own_depth("    ", old, new) == own


@pytest.mark.parametrize(
    ("name", "indented"),
    [("a.py", True), ("A.YAML", True), ("a.js", False), ("py", False), ("a.tar.gz", False)],
)
def test_files_in_which_indentation_has_a_meaning(name: str, indented: bool) -> None:
    assert is_indented(name) == indented
