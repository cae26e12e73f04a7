"""A refusal says why, where, and what to do next."""

import pytest

from maxagent.tools.editing.matching import edit_errors
from maxagent.tools.editing.matching.document import TextDocument
from maxagent.tools.editing.matching.edit_errors import find_nearest
from maxagent.tools.editing.matching.edit_request import EditRequest

TEXT = "one\n\ttwo  \nthree\none\n"

FILE = """def first():
    return None

def second():
    value = compute()
    return None
"""


def not_found(old: str, new: str = "x", text: str = TEXT, **more: bool) -> str:
    return str(edit_errors.make_not_found_error(TextDocument(text), EditRequest(old, new), **more))  # type: ignore[arg-type]


def test_the_closest_lines_are_shown_with_their_blanks() -> None:
    assert not_found("  two\nthree") == (
        "`old_string` is not in the file, only with other blanks; "
        "the closest lines (`·` is a blank at an end, `⇥` a tab):\n"
        "     2→⇥two··\n     3→three"
    )


def test_lines_that_are_not_there_are_reported() -> None:
    assert not_found("three\nfour").endswith("not there is from `old_string`:\nfour")


@pytest.mark.parametrize(
    ("line", "visible"),
    [
        ("a\u00a0b\u3000c\rd\u200be", r"a\xa0b\u3000c\rd\u200be"),
        ("", ""),
        (" \t ", "·⇥·"),
        ("  a b\tc \t", "··a b⇥c·⇥"),
        ("中 文 ", "中 文·"),
        ("a" + " " * 300_000 + "b", "a" + " " * 300_000 + "b"),  # the suite's time limit ends it
        (" \t" * 100_000 + "b", "·⇥" * 100_000 + "b"),
    ],
    ids=lambda text: text[:8],
)
def test_blanks_are_made_visible(line: str, visible: str) -> None:
    assert edit_errors.show_blanks(line) == visible


def test_a_change_that_was_made_already_is_recognized() -> None:
    assert "`new_string` is, at line 3: the change may have been made already" in not_found(
        "zwei", "three"
    )


def test_nothing_similar_gives_advice_to_read_again() -> None:
    assert not_found("completely different").endswith("read the file again")
    assert not_found("anything", text="").endswith("read the file again")


def test_changed_file_and_replace_all_have_own_advice() -> None:
    assert "has changed since you read it" in not_found("two\nthree", changed=True)
    assert "with `replace_all` it must match the file exactly" in not_found(
        "tow\nthree", everywhere=True
    )


def test_a_refusal_is_never_long() -> None:
    text = "".join(f"line {number}\n" for number in range(1000))
    assert not_found(text.replace("line 5\n", "line five\n"), text=text).count("\n") < 25
    ambiguous = str(edit_errors.make_ambiguous_error(range(1, 1001), [1] * 1000, True, False))
    assert "at least 1000 times" in ambiguous and "20 and 980 more;" in ambiguous


@pytest.mark.parametrize(
    ("lines", "text"), [([3], "3"), (range(1, 23), "19, 20 and 2 more"), ([1, 9], "1, 9")]
)
def test_line_numbers_are_listed(lines: list[int], text: str) -> None:
    assert edit_errors.format_line_numbers(lines).endswith(text)


@pytest.mark.parametrize(
    ("expected", "starts"),
    [
        (["def second():", "\treturn None"], [3]),
        (["    def first():"], [0]),
        (["def third():", "    value = compute()", "    return None"], [3]),
        (["    vlaue = compute()"], [4]),
        (["df scond():"], [3]),
        (["VALUE =  COMPUTE()"], [4]),
        (["nothing at all like anything in there"], []),
        (["", "  "], []),
        ([], []),
        (["a line before", "def first():"], [0]),
    ],
)
def test_the_likeliest_place_is_found(expected: list[str], starts: list[int]) -> None:
    assert find_nearest(TextDocument(FILE), expected) == starts


def test_places_that_are_as_close_are_all_named() -> None:
    block = "def f():\n    alpha(1)\n    beta({})\n    gamma(3)\n\n\n\n\n"
    source = TextDocument(block.format("x") + block.format("y"))
    expected = ["def f():", "    alpha(1)", "    beta(z)", "    gamma(3)"]
    assert sorted(find_nearest(source, expected)) == [0, 8]


@pytest.mark.timeout(10)
def test_many_equal_or_long_lines_do_not_hang() -> None:
    find_nearest(TextDocument("}\n\n" * 50_000), ["}", "", "}"] * 200)
    find_nearest(TextDocument(("x" * 100_000 + "\n") * 100), ["y" * 100_000])
