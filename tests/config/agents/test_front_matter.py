from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxagent.config.agents.front_matter import (
    read_front_matter,
    read_plain_front_matter,
    split_front_matter,
)
from maxagent.config.agents.registry import BUILT_IN
from maxagent.config.errors import UsageError

FILE = Path("x.md")


def test_settings_stand_above_the_text_with_their_lines() -> None:
    front_matter = split_front_matter(
        FILE, "---\r\na: 1\r\nb:\r\n  c: [x,\r\n    y]\r\n---\r\n# Text\n---\nmore"
    )
    assert front_matter.values == {"a": 1, "b": {"c": ["x", "y"]}}
    assert front_matter.lines[("a",)] == 2 and front_matter.lines[("b", "c")] == 4
    assert front_matter.body == "# Text\n---\nmore"


@pytest.mark.parametrize("text", ["", "# Text", "----\na: 1\n", " ---\na: 1\n---\n"])
def test_text_without_leading_dashes_is_all_body(text: str) -> None:
    front_matter = split_front_matter(FILE, text)
    assert (front_matter.values, front_matter.body) == ({}, text)


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("hint: [file] [why]", "[file] [why]"),
        ("hint: Fix: it", "Fix: it"),
        ('hint: "half', '"half'),
        ("hint: @file", "@file"),
        ("hint: `cmd` \\ *", "`cmd` \\ *"),
        ("hint: [file]", ["file"]),
        ("hint: Bash(git add:*), Read", "Bash(git add:*), Read"),
    ],
)
def test_invalid_yaml_value_is_read_as_text(line: str, value: object) -> None:
    assert split_front_matter(FILE, f"---\na: 1\n{line}\nb: [c]\n---\n").values == {
        "a": 1,
        "hint": value,
        "b": ["c"],
    }


@pytest.mark.parametrize(
    ("text", "line", "reason"),
    [
        ("---\na: 1\n", 1, "the front matter has no end"),
        ("---\na: 1\na: 2\n---\n", 3, "duplicate key"),
        ("---\na:\n  b: [c\n---\n", 4, "not YAML"),
        ("---\n- a\n---\n", 1, "not a mapping"),
    ],
)
def test_unreadable_front_matter_is_reported_with_its_line(
    text: str, line: int, reason: str
) -> None:
    with pytest.raises(UsageError, match=reason) as error_info:
        split_front_matter(FILE, text)
    assert error_info.value.message.startswith(f"x.md:{line}:")


@pytest.mark.timeout(20)
@pytest.mark.parametrize("width", [2, 9, 28, 100, 400])
def test_repeated_values_are_read_as_text(width: int) -> None:
    rows = ["a0: &a0 [x]", *(f"a{n}: &a{n} [{f'*a{n - 1}, ' * width}]" for n in range(1, 16))]
    parts = read_front_matter(FILE, "\n".join(["---", *rows, "---", "text"]))
    assert parts.values["a1"] == f"&a1 [{'*a0, ' * width}]"


@given(st.text(alphabet=st.sampled_from("---\n:[]{}&*!|>'\"#%@`ab \t\r1,?")))
def test_any_text_is_read_or_refused(text: str) -> None:
    try:
        front_matter = split_front_matter(FILE, f"---\n{text}\n---\nbody")
    except UsageError:
        return
    assert front_matter.body.endswith("body")


@pytest.mark.parametrize("file", sorted(BUILT_IN.glob("*.md")), ids=lambda file: file.stem)
def test_built_in_files_read_as_yaml_reads_them(file: Path) -> None:
    content = file.read_text(encoding="utf-8")
    plain, parsed = read_plain_front_matter(content), split_front_matter(file, content)
    assert (plain.values, plain.body) == (parsed.values, parsed.body)
