import pytest

from maxagent.cli.rendering.tool_summary import format_call, format_facts


@pytest.mark.parametrize(
    ("tool", "args", "line"),
    [
        ("read_file", {"path": "a.py", "start_line": 3}, "read_file a.py"),
        ("grep", {"regex": "x+", "path": "src"}, "grep src x+"),
        ("edit", {"file_path": "a.py", "old_string": "a", "new_string": "b"}, "edit a.py"),
        ("run_command", {"command": "make\n  all"}, "run_command make all"),
        ("replace_in_file", {"path": "a.py", "diff": "<<<<<<<"}, "replace_in_file a.py"),
        (
            "apply_patch",
            {"patch": "*** Begin Patch\n*** Delete File: a\n*** Delete File: b\n*** End Patch"},
            "apply_patch a b",
        ),
        ("apply_patch", {"patch": "no\npatch"}, "apply_patch no patch"),
        ("git_status", {}, "git_status"),
        ("list_files", {"recursive": True}, "list_files"),
        ("foreign", {"first": 1, "second": "two", "third": "three"}, "foreign two"),
    ],
)
def test_call_is_summarized_by_its_main_argument(tool, args, line):
    assert format_call(tool, args) == line


def test_a_long_call_is_cut():
    assert len(format_call("run_command", {"command": "x" * 500})) == 120


@pytest.mark.parametrize(
    ("metadata", "text"),
    [
        ({}, ""),
        ({"added": 2, "removed": 1}, "  (+2 -1)"),
        ({"exit_code": 3}, "  (exit code 3)"),
        ({"exit_code": None, "timed_out": True}, "  (timed out)"),
    ],
)
def test_the_facts_of_a_result_stand_in_brackets(metadata, text):
    assert format_facts(metadata) == text
