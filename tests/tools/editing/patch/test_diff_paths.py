"""Names in headers are read as git reads them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxagent.tools.editing.patch.diff_paths import (
    parse_git_names,
    parse_header_name,
    without_prefixes,
)
from maxagent.tools.result import ToolError
from maxagent.tools.textedits.unified_diff import build_diff


@pytest.mark.parametrize(
    ("rest", "name"),
    [
        ("a/x.py", "a/x.py"),
        ("a/x.py\t2024-01-02 10:00:00.000000000 +0100", "a/x.py"),
        ("x.py 2024-01-02 10:00:00", "x.py"),
        ("a/with blank.py\t", "a/with blank.py"),
        ("a/with blank.py", "a/with blank.py"),
        (r'"a/\303\251\t\"\\.py"', 'a/é\t"\\.py'),
        ("/dev/null", "/dev/null"),
        ("", ""),
    ],
)
def test_a_name_is_read_from_a_header(rest: str, name: str) -> None:
    assert parse_header_name(rest) == name


@pytest.mark.parametrize("rest", [r'"a/\377"', r'"a/\777"'])
def test_a_name_that_is_no_text_is_refused(rest: str) -> None:
    with pytest.raises(ToolError, match="cannot be read"):
        parse_header_name(rest)


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("a/x", "b/x", ("x", "x")),
        ("i/x", "w/x", ("x", "x")),
        ("/dev/null", "b/x", ("/dev/null", "x")),
        ("a/x", "/dev/null", ("x", "/dev/null")),
        ("x", "x", ("x", "x")),
        ("a/x", "a/x", ("a/x", "a/x")),
        ("src/x", "src/x", ("src/x", "src/x")),
        ("a/x", "y", ("a/x", "y")),
    ],
)
def test_prefixes_go_in_pairs(old: str, new: str, names: tuple[str, str]) -> None:
    assert without_prefixes(old, new) == names


@pytest.mark.parametrize(
    ("rest", "names"),
    [
        ("a/x b/x", ("x", "x")),
        ("a/a b b/a b", ("a b", "a b")),
        (r'"a/\303\251" "b/\303\251"', ("é", "é")),
        ('a/x "b/\\ty"', ("x", "\ty")),
        ("x x", ("x", "x")),
        ("a/x b/y", None),
        ("", None),
    ],
)
def test_names_of_a_git_header_are_separated(rest: str, names: tuple[str, str] | None) -> None:
    assert parse_git_names(rest) == names


@settings(deadline=None)
@given(st.text(st.characters(exclude_characters="\0\ud800", codec="utf-8"), min_size=1))
def test_our_own_headers_give_back_the_name(name: str) -> None:
    header = build_diff("a\n", "b\n", f"d/{name}x").split("\n@@")[0].split("\n+++ ")
    old, new = parse_header_name(header[0].removeprefix("--- ")), parse_header_name(header[1])
    assert without_prefixes(old, new) == (f"d/{name}x", f"d/{name}x")


@settings(deadline=None)
@given(st.text())
def test_any_name_is_read_or_refused(rest: str) -> None:
    try:
        parse_header_name(rest)
        parse_git_names(rest)
    except ToolError as refusal:
        assert str(refusal)
