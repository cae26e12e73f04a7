import pytest

from maxagent.tools.hooks.matching import get_claude_name, matches_any_tool, matches_tool


@pytest.mark.parametrize(
    ("matcher", "tool", "matches"),
    [
        ("", "read_file", True),
        ("*", "read_file", True),
        ("Bash", "run_command", True),
        ("bash", "run_command", True),
        ("execute_command", "run_command", True),
        ("run_command", "run_command", True),
        ("Bash", "read_file", False),
        ("Edit|Write", "edit", True),
        ("Edit|Write", "replace_in_file", True),
        ("Edit | Write", "apply_patch", True),
        ("Edit|Write", "write_file", True),
        ("Edit", "write_file", False),
        ("Edit", "todowrite", False),
        (".*Edit", "edit", True),
        ("^(Web|run_)", "webfetch", True),
        ("^(Web|run_)", "edit", False),
        ("^mcp__", "mcp_github_create_issue", True),
        ("^mcp__github__", "mcp_gitlab_push", False),
        ("^Notebook", "edit", False),
        ("^Bash", "command_output", True),
        ("^based", "edit", False),
        ("^re", "edit", False),
        ("^(?!mcp__)", "write_file", True),
        ("^(?!mcp__)", "mcp_github_push", False),
        ("^(?!Bash$)", "run_command", False),
        ("Edit,Write", "write_file", True),
        ("Edit, Bash", "run_command", True),
        ("Edit,Write", "read_file", False),
        ("mcp__my-files__read", "mcp_my-files_read", True),
        ("^(Web|run_).*", "webfetch", True),
        ("Ba.*", "run_command", True),
        ("Ba.*", "edit", False),
        ("ash", "run_command", False),
        ("[E]dit", "todowrite", False),
        ("Rea.", "read_file", True),
        ("^(?!mcp__).*", "edit", True),
        ("^(?!mcp__).*", "mcp_github_create_issue", False),
        ("^(?!Bash$).*", "run_command", False),
        ("^(?!Bash$).*", "write_file", True),
        ("^(?!.*(Read|Glob|Grep)).*$", "read_file", False),
        ("(?!Bash|Edit).+", "webfetch", True),
        ("mcp__github__.*", "mcp_github_create_issue", True),
        ("mcp__my_files__read", "mcp_my_files_read", True),
        ("mcp_github_create_issue", "mcp_github_create_issue", True),
        ("mcp__gitlab__.*", "mcp_github_create_issue", False),
        ("Write", "mcp_files_write", False),
    ],
)
def test_a_matcher_knows_a_tool(matcher: str, tool: str, matches: bool) -> None:
    assert matches_tool(matcher, tool) is matches


@pytest.mark.parametrize(
    ("matcher", "matches"), [("Bash", True), ("Bsah", False), ("mcp__x__y", True)]
)
def test_a_matcher_of_no_tool(matcher: str, matches: bool) -> None:
    assert matches_any_tool(matcher, ["run_command", "edit"]) is matches


def test_claude_name_of_a_tool() -> None:
    assert (get_claude_name("run_command"), get_claude_name("git_diff")) == ("Bash", "git_diff")
