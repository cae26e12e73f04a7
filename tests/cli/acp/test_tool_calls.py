"""Calls as clients show them; diffs, whose lines may look like anything."""

import pytest

from maxagent.cli.acp.tool_calls import (
    MAX_OUTPUT,
    FileChange,
    diff_content,
    find_locations,
    get_kind,
    parse_diff,
    text_content,
)
from maxagent.tools.textedits.unified_diff import build_diff


@pytest.mark.parametrize(
    ("path", "old", "new", "change"),
    [
        ("a", "one\n", "two\n", FileChange("a", 1, "one\n", "two\n")),
        ("new", None, "text\n", FileChange("new", 1, None, "text\n")),
        ("gone", "text\n", None, FileChange("gone", 0, "text\n", "")),
        ("ü/ä b.txt", "1\n", "2\n", FileChange("ü/ä b.txt", 1, "1\n", "2\n")),
        ('q"\t.txt', "1\n", "2\n", FileChange('q"\t.txt', 1, "1\n", "2\n")),
        ("h", "-- x\n", "++ y\n", FileChange("h", 1, "-- x\n", "++ y\n")),
        ("at", "@@ -1 +1 @@\n", "x\n", FileChange("at", 1, "@@ -1 +1 @@\n", "x\n")),
        ("end", "a", "b", FileChange("end", 1, "a\n", "b\n")),
    ],
)
def test_a_diff_is_read_back(
    path: str, old: str | None, new: str | None, change: FileChange
) -> None:
    assert parse_diff(build_diff(old, new, path)) == [change]


def test_each_hunk_is_a_change_of_its_file() -> None:
    old = "".join(f"{number}\n" for number in range(40))
    diff = build_diff(old, old.replace("3\n", "x\n", 1).replace("30\n", "y\n"), "n")
    diff += build_diff("a\n", "b\n", "other")
    assert [(change.path, change.line) for change in parse_diff(diff)] == [
        ("n", 1),
        ("n", 28),
        ("other", 1),
    ]


@pytest.mark.parametrize(
    "diff", ["", "no diff", "@@ -1 +1 @@", "--- a/x\n+++ b/x\n@@ -1,9 +1 @@\n-"]
)
def test_broken_diffs_raise_nothing(diff: str) -> None:
    parse_diff(diff)


def test_second_version_has_the_patch_and_its_files() -> None:
    diff = build_diff("a\n", "b\n", "x") + build_diff(None, "c\n", "y")
    [content] = diff_content(diff, "/p", 2)
    assert content["patch"] == {"format": "git_patch", "text": diff}
    assert [(each["operation"], each["path"]) for each in content["changes"]] == [
        ("modify", "/p/x"),
        ("add", "/p/y"),
    ]


@pytest.mark.parametrize(
    ("tool", "kind"),
    [
        ("read_file", "read"),
        ("grep", "search"),
        ("apply_patch", "edit"),
        ("run_command", "execute"),
        ("webfetch", "fetch"),
        ("plan_exit", "switch_mode"),
        ("todowrite", "think"),
        ("mcp_server_tool", "other"),
    ],
)
def test_each_tool_has_a_kind(tool: str, kind: str) -> None:
    assert get_kind(tool) == kind


def test_places_are_absolute_and_output_ends_where_it_ends() -> None:
    args = {"path": "src/../a.py", "start_line": 7}
    assert find_locations(args, "/p") == [{"path": "/p/a.py", "line": 7}]
    assert find_locations({"path": 3}, "/p") == []
    output = text_content("x" * MAX_OUTPUT + "error at the end")["content"]["text"]
    assert output.endswith("error at the end") and output.startswith("… 16 characters before …")
