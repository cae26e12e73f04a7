from pathlib import Path

import pytest

from maxagent.tools.shell.effects.in_place_edits import find_edited_names
from maxagent.tools.shell.parsing.command_line import CommandLine
from maxagent.tools.shell.parsing.shell_state import ShellState


def list_names(command: str) -> list[str]:
    root = Path("/project")
    return [
        name
        for step in CommandLine(command, ShellState(root, root)).steps
        for name in find_edited_names(step)
    ]


@pytest.mark.parametrize(
    "command",
    [
        "perl -i -pe s/x/y/ a.txt",
        "perl -pi.bak -e s/x/y/ a.txt",
        "ruby -i -pe 'gsub(1,2)' a.txt",
        "awk -i inplace '{print}' a.txt",
        "gawk --include=inplace '{print}' a.txt",
        "patch a.txt fix.diff",
        "sort --output=a.txt b.txt",
        "make && tool --out=a.txt",
        "git checkout a.txt",
        "git -C . restore a.txt",
        "prettier --write a.txt",
        "black a.txt",
        "curl -oa.txt https://example.org",
        "find . -name a.txt -delete",
        "ls | sponge a.txt",
    ],
)
def test_file_that_is_edited_in_place_is_named(command: str) -> None:
    assert "a.txt" in list_names(command)


@pytest.mark.parametrize(
    "command",
    [
        "perl -pe s/x/y/ a.txt",
        "awk '{print}' a.txt",
        "sort a.txt",
        "ruby a.txt",
        "git add a.txt",
        "git diff a.txt",
        "prettier a.txt",
        "gofmt a.txt",
    ],
)
def test_file_that_is_only_read_is_not_named(command: str) -> None:
    assert list_names(command) == []
