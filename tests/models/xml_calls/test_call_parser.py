"""Calls in a whole text."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st
from xml_tools import KNOWN

from maxagent.models.xml_calls.call_parser import parse_calls
from maxagent.models.xml_calls.text_history import format_call

READ_A = ("read_file", {"path": "a.py"})
STATUS = ("git_status", {})

CALLS = [
    ("<read_file>\n<path>a.py</path>\n</read_file>", READ_A),
    ("<read_file><path>a.py</path></read_file>", READ_A),
    ("   <read_file>\r\n<path>\r\na.py\r\n</path>\r\n</read_file>\r\n", READ_A),
    ("<git_status/>", STATUS),
    ("<git_status></git_status>", STATUS),
    ("<Read-File><path>a.py</path></Read-File>", ("Read-File", {"path": "a.py"})),
    (
        "<write_to_file><path>a.json</path><content>\n{}\n\n</content></write_to_file>",
        ("write_to_file", {"path": "a.json", "content": "{}\n"}),
    ),
    (
        "<execute_command><cmd>ls &amp;&amp; x</cmd></execute_command>",
        ("execute_command", {"cmd": "ls &amp;&amp; x"}),
    ),
    (
        "<read_file><path>a.py</path><start_line> 3 </start_line></read_file>",
        ("read_file", {"path": "a.py", "start_line": 3}),
    ),
    (
        "<edit><file_path>a</file_path><replace_all>True</replace_all></edit>",
        ("edit", {"file_path": "a", "replace_all": True}),
    ),
    (
        "<ask_user><question>Which?</question><options>a</options><options>b</options></ask_user>",
        ("ask_user", {"question": "Which?", "options": ["a", "b"]}),
    ),
    (
        '<ask_user><question>Which?</question><options>["a", "b"]</options></ask_user>',
        ("ask_user", {"question": "Which?", "options": ["a", "b"]}),
    ),
]


@pytest.mark.parametrize(("text", "expected"), CALLS)
def test_a_call_is_read(text: str, expected: tuple[str, dict[str, object]]) -> None:
    parsed = parse_calls(f"Now.\n{text}", KNOWN)
    assert [(call.name, call.args, call.error) for call in parsed.calls] == [(*expected, "")]
    assert parsed.text == "Now.\n"


TEXTS = [
    "say <read_file><path>a</path></read_file>",
    "`<read_file><path>a</path></read_file>`",
    "    <read_file><path>a</path></read_file>",
    "```xml\n<read_file><path>a</path></read_file>\n```\n",
    "~~~~\n<read_file><path>a</path></read_file>\n~~~\n<git_status/>\n",
    "```\n```python\n<git_status/>\n",
    "<no_such_tool><path>a</path></no_such_tool>",
    "<read_file> shows a file",
    "<list>\n<item>one</item>\n</list>",
    "<question>why?</question>",
    "<read_file/>",
    "<git_status",
]


@pytest.mark.parametrize("text", TEXTS)
def test_anything_else_stays_text(text: str) -> None:
    parsed = parse_calls(text, KNOWN)
    assert (parsed.text, parsed.calls) == (text, ())


INNER = "<write_file>\n<path>b</path>\n<content>c</content>\n</write_file>"
CONTENTS = [
    "</content>",
    "a</content>b",
    "<content>",
    "<path>x</path>\n<content>y</content>",
    "a</content><content>b",
    "a</content>\n</write_file>\nb",
    INNER,
    f"{INNER}\n{INNER}",
    f"```\n{INNER}\n```\n",
    "<div>&lt;</div>",
    "\n\nlines\n\n",
    "",
]


@pytest.mark.parametrize("content", CONTENTS)
@pytest.mark.parametrize(
    "after", ["", "\n<git_status/>", "\n<read_file><path>a</path></read_file>"]
)
def test_content_may_hold_its_own_tags(content: str, after: str) -> None:
    args: dict[str, object] = {"path": "a.txt", "content": content}
    parsed = parse_calls(format_call("write_file", args) + after, KNOWN)
    assert (parsed.calls[0].name, parsed.calls[0].args) == ("write_file", args)
    assert (len(parsed.calls), parsed.text.strip()) == (1 + bool(after), "")


BROKEN = [
    "<read_file>",
    "<read_file>\n<path>a",
    "<write_file><path>a</path><content>\n<git_status/>\n<run_command><command>ls</command></run_command>",
    "<write_to_file>\n<path>a</path>",
    "<read_file>a.py</read_file>",
    "<read_file><path>a</path>and more</read_file>",
]


@pytest.mark.parametrize("text", BROKEN)
def test_a_broken_call_runs_nothing(text: str) -> None:
    parsed = parse_calls(f"Now.\n{text}", KNOWN)
    assert [(call.args, call.raw) for call in parsed.calls] == [({}, text)]
    assert "nothing was run" in parsed.calls[0].error
    assert parsed.text == "Now.\n"


def test_several_calls_keep_their_order_and_text() -> None:
    parsed = parse_calls("a\n<git_status/>\nb\n<git_branch/><git_status/>\nc", KNOWN)
    assert [call.name for call in parsed.calls] == ["git_status", "git_branch", "git_status"]
    assert parsed.text == "a\nb\nc"


plain = st.text(st.sampled_from("ab <>/\n&\"'中"), max_size=30)


@given(plain, plain, st.integers(), st.booleans())
def test_written_calls_are_read_back(path: str, content: str, number: int, flag: bool) -> None:
    calls: list[tuple[str, dict[str, object]]] = [
        ("write_file", {"path": path, "content": content}),
        ("read_file", {"path": path, "start_line": number}),
        ("git_diff", {"staged": flag}),
    ]
    text = "\n\n".join(format_call(name, args) for name, args in calls)
    parsed = parse_calls(text, KNOWN)
    assert [(call.name, call.args) for call in parsed.calls] == calls


@pytest.mark.parametrize("piece", ["</content>\n<path>", "</write_file>\n", "<path>x</path>", "<"])
def test_a_hostile_text_is_read_in_time(piece: str) -> None:
    text = "<write_file><path>a</path><content>" + piece * 20_000
    started = time.monotonic()
    parse_calls(text, KNOWN)
    parse_calls(text + "</content></write_file>", KNOWN)
    assert time.monotonic() - started < 5
