import pytest

from maxagent.cli.rendering.blocks.reading_group import ReadingGroup, is_reading

Call = tuple[str, dict[str, object]]


def group_of(*calls: Call) -> ReadingGroup:
    group = ReadingGroup()
    for tool, args in calls:
        group.add_call(tool, args, 1.5)
    return group


READ_A, READ_B = ("read_file", {"path": "a.py"}), ("read_file", {"path": "b.py"})
SEARCH, LIST = ("grep", {"regex": "x"}), ("list_files", {"path": "src"})


def test_few_calls_are_named_many_are_counted() -> None:
    assert group_of(READ_A, READ_B, SEARCH).format_row(80) == "Read a.py, b.py · Searched x"
    assert group_of(READ_A, READ_A).format_row(80) == "Read a.py"
    counted = "Read 2 files, searched once"
    assert group_of(READ_A, READ_B, SEARCH).format_row(20) == counted
    many = group_of(READ_A, READ_B, SEARCH, LIST, ("git_log", {}))
    assert many.format_row(80) == f"{counted}, listed 1 folder, ran 1 command"
    assert many.list_calls()[-1] == "Ran git log" and many.seconds == 7.5


@pytest.mark.parametrize(
    ("calls", "expected"),
    [
        ((READ_A, LIST, READ_B), "Read a.py, b.py · Listed src"),
        ((LIST, READ_A, READ_B), "Listed src · Read a.py, b.py"),
        ((READ_B, LIST, READ_A), "Read b.py, a.py · Listed src"),
        ((READ_A, LIST, READ_A), "Read a.py · Listed src"),
        ((SEARCH, READ_A, SEARCH, READ_B), "Searched x · Read a.py, b.py"),
        ((READ_A, SEARCH, ("git_log", {}), SEARCH), "Read a.py · Searched x · Ran git log"),
    ],
)
def test_a_verb_is_named_once(
    calls: tuple[tuple[str, dict[str, object]], ...], expected: str
) -> None:
    assert group_of(*calls).format_row(80) == expected


def test_thoughts_stand_before_the_calls() -> None:
    group = group_of(READ_A)
    group.add_thought(2)
    group.add_thought(1)
    assert group.format_row(80) == "Thought for 3 s · Read a.py"


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("ls -la", True),
        ("cat a.py | head -3", True),
        ("git status", True),
        ("grep -rn x src && wc -l a.py", True),
        ("git push", False),
        ("git", False),
        ("cat a > b", False),
        ("ls $(rm -rf x)", False),
        ("ls `touch x`", False),
        ("make", False),
        ("", False),
        ("ls; python3 x.py", False),
    ],
)
def test_only_plain_reading_commands_are_folded(command: str, expected: bool) -> None:
    assert is_reading("run_command", {"command": command}) is expected


@pytest.mark.parametrize(
    ("tool", "expected"),
    [
        ("read_file", True),
        ("webfetch", True),
        ("git_diff", True),
        ("edit", False),
        ("subagent", False),
        ("use_mcp_tool", False),
        ("mcp_x_y", False),
    ],
)
def test_what_changes_or_is_foreign_is_shown(tool: str, expected: bool) -> None:
    assert is_reading(tool, {}) is expected
