import pytest

from maxagent.tools.shell.parsing.git_command import find_git_command, split_git_command


@pytest.mark.parametrize(
    "line, command, rest",
    [
        ("status", "status", []),
        ("-C x -c a=b log -1", "log", ["-1"]),
        ("--config-env a=B --no-pager diff", "diff", []),
        ("--git-dir=x show", "show", []),
        ("--version", "", []),
        ("", "", []),
    ],
)
def test_command_is_behind_options_and_values(line: str, command: str, rest: list[str]) -> None:
    assert split_git_command(line.split()) == (command, rest)


def test_missing_value_leads_to_the_end() -> None:
    assert find_git_command(["-C"]) == 1
