"""Calls in a streamed text: any split gives the same."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xml_tools import KNOWN

from maxagent.models.xml_calls.call_parser import ParsedText, parse_calls
from maxagent.models.xml_calls.stream_parser import CallStreamParser


def feed(*portions: str) -> tuple[list[str], ParsedText]:
    parser = CallStreamParser(KNOWN)
    return [parser.feed(portion) for portion in portions], parser.close()


PIECES = [
    "<read_file>", "</read_file>", "<path>", "</path>", "a.py", "\n", " ", "```", "`", "<", ">",
    "<write_to_file>", "</write_to_file>", "<content>", "</content>", "<list>", "<git_status/>",
    "text", "\r\n", "中", "~~~", "</",
]  # fmt: skip


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.data())
def test_any_split_gives_the_same(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.lists(st.integers(0, len(text)), max_size=8)))
    portions = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    shown, last = feed(*portions)
    whole = parse_calls(text, KNOWN)
    assert (["".join(shown) + last.text], last.calls) == ([whole.text], whole.calls)
    assert feed(*text)[1].calls == whole.calls


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Let me look.\n<read_file>\n<path>a</path>\n</read_file>\n", "Let me look.\n"),
        ("1 < 2 and <b>bold</b>\n<nothing>", "1 < 2 and <b>bold</b>\n<nothing>"),
        ("<git_status/>\nafter", ""),
        ("```\n<git_status/>\n```\n", "```\n<git_status/>\n```\n"),
    ],
)
def test_text_is_shown_without_half_a_tag(text: str, shown: str) -> None:
    portions, _ = feed(*text)
    assert "".join(portions) == shown
    assert not any(re.search("<(read|git)", each) for each in portions if shown.endswith(".\n"))


def test_text_is_shown_as_it_arrives() -> None:
    portions, _ = feed("One ", "line <", "b> and", "\n<", "p> two", "\n<git_", "st")
    assert portions == ["One ", "line <", "b> and", "\n", "<p> two", "\n", ""]


def test_half_a_tag_at_the_end_is_text() -> None:
    assert feed("a\n<read_fi") == (["a\n"], ParsedText("<read_fi"))
