import pytest

from maxagent.tools.shell.parsing.single_command import parse_plain_words


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("git status", ["git", "status"]),
        ("pytest -k 'a and b' --x=1", ["pytest", "-k", "a and b", "--x=1"]),
        ("sed -n '5,$p' x", ["sed", "-n", "5,$p", "x"]),
        ("cat a\\ b", ["cat", "a b"]),
        ("git log HEAD~1 HEAD@{1}", ["git", "log", "HEAD~1", "HEAD@{1}"]),
    ],
)
def test_a_simple_command_has_plain_words(command: str, arguments: list[str]) -> None:
    assert parse_plain_words(command) == arguments


@pytest.mark.parametrize(
    "command",
    [
        "",
        "echo 'unfinished",
        "git status > x",
        "A=1 git status",
        "ls < x",
        "cat <<E\nx\nE\n",
        "cd ~/x",
    ]
    + [f"git status{sign}" for sign in ";|&<>`()\r*?\0\u202e"]
    + ["echo $HOME", "ls {a,b}", "ls [ab]", 'echo "$x"', "echo $(ls)", "(ls)", "! ls", "[ -f x ]"],
)
def test_nothing_else_has(command: str) -> None:
    assert parse_plain_words(command) is None
