"""Which words of a command may be files: an option's text is none, a flag hides nothing."""

from pathlib import Path

import pytest

from maxagent.tools.shell.parsing.command_line import CommandLine
from maxagent.tools.shell.parsing.shell_state import ShellState
from maxagent.tools.shell.risks.referenced_files import find_references

ROOT = Path("/work")


def is_named(line: str) -> bool:
    """Whether a step of the line names the file `a/key`."""
    steps = CommandLine(line, ShellState(ROOT, ROOT)).steps
    return any(name.text == "a/key" for step in steps for name in find_references(step))


@pytest.mark.parametrize(
    "line",
    [
        "grep x a/key",
        "grep -e x a/key",
        "grep -b x a/key",
        "grep -G x a/key",
        "grep -name x a/key",
        "rg -S x a/key",
        "ag -S x a/key",
        "ack -m 3 x a/key",
        "rsync -b a/key host:",
        "rsync -rm a/key host:",
        "diff -b a/key b",
        "diff -rm a/key b",
        "diff -Ix a/key b",
        "git diff -b a/key",
        "git log -pm a/key",
        "git blame -b a/key",
        "git grep -G x a/key",
        "git show -m HEAD a/key",
        "jq -e . a/key",
        "jq . -e a/key",
        "yq -re . a/key",
        "zip -r x.zip a/key -x b",
        "zip -r x.zip -x b @ a/key",
        "tar cf x.tar --exclude b a/key",
        "cat < a/key",
    ],
)
def test_no_flag_hides_a_file(line: str) -> None:
    assert is_named(line)


@pytest.mark.parametrize(
    "line",
    [
        "grep a/key b",
        "grep -e a/key b",
        "grep -r --exclude-dir a/key x",
        "egrep -r --exclude=a/key x",
        "rg --glob a/key x",
        "ag --ignore a/key x",
        "ack --ignore-dir=a/key x",
        "fd -HE a/key -x cat",
        "diff -r -x a/key b c",
        "diff -rux a/key b c",
        "zip -r x.zip . -x a/key",
        "zip -r x.zip . -x b a/key",
        "7z a x.7z . '-xr!a/key'",
        "rsync -a --exclude a/key . host:",
        "git commit -am a/key",
        "git log -S a/key",
        "git log --grep a/key",
        "gh pr create -b a/key",
        "find . -name a/key",
        "find . -path a/key -prune -o -exec cat {} +",
        "jq a/key b",
        "echo a/key",
    ],
)
def test_texts_and_exclusions_are_no_files(line: str) -> None:
    assert not is_named(line)
