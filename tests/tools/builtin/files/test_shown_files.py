"""What plainly shows a file counts as reading it, and nothing else does."""

from dataclasses import replace
from pathlib import Path

import pytest

from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.builtin.files.grep import grep
from maxagent.tools.builtin.files.shown_files import (
    hash_shown_files,
    parse_plain_words,
    parse_shown_files,
)
from maxagent.tools.builtin.shell.run_command import run_command
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace


@pytest.mark.parametrize(
    ("command", "files"),
    [
        ("cat a.py", ["a.py"]),
        ("cat -n 'a b' \"c d\"", ["a b", "c d"]),
        ("head -20 a", ["a"]),
        ("head -n 20 a b", ["a", "b"]),
        ("tail -n +5 a", ["a"]),
        ("tail -c100 a", ["a"]),
        ("nl -ba src/a.py", ["src/a.py"]),
        ("nl -b a -w 3 src/a.py", ["src/a.py"]),
        ("sed -n '1,20p' a", ["a"]),
        ("sed -n 5p a b", ["a", "b"]),
        ("sed -n '5,$p' a", ["a"]),
        ("sed -n 5,+3p a", ["a"]),
        ("sed '1,20p' a", []),
        ("sed -n -i '1,20p' a", []),
        ("sed -n 's/a/b/p' a", []),
        ("sed -n '1,20w out' a", []),
        ("cat", []),
        ("cat -", []),
        ("cat -n", []),
        ("cat *.py", []),
        ("cat a | head", []),
        ("cat a > b", []),
        ("cat a; ls", []),
        ("cat $FILE", []),
        ("cat 'a", []),
        ("head -n -5 a", []),
        ("tail -f a", []),
        ("wc -l a", []),
        ("cat --help", []),
        ("python a.py", []),
        ("", []),
    ],
)
def test_only_a_plain_command_shows_files(command: str, files: list[str]) -> None:
    assert parse_shown_files(command) == files


@pytest.fixture
def run(tmp_path: Path) -> ToolRun:
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    for name in ("a", "b", "src/c"):
        (root / name).write_text(f"text of {name}\n")
    (root / ".env").write_text("KEY=1\n")
    (tmp_path / "outside").write_text("text\n")
    return ToolRun(workspace=Workspace(root), call_id="c", outputs=tmp_path / "outputs")


def hashes(run: ToolRun, *names: str) -> dict[str, str]:
    return {name: hash_content((run.workspace.root / name).read_bytes()) for name in names}


def test_cut_output_counts_only_first_and_last_file(run: ToolRun) -> None:
    root = run.workspace.root
    assert hash_shown_files(run.workspace, root, "cat a b src/c", all_shown=True) == hashes(
        run, "a", "b", "src/c"
    )
    assert hash_shown_files(run.workspace, root, "cat a b src/c", all_shown=False) == hashes(
        run, "a", "src/c"
    )


def test_path_outside_project_does_not_count(run: ToolRun) -> None:
    command = "cat a gone src ../outside .env"
    seen = hash_shown_files(run.workspace, run.workspace.root, command, all_shown=True)
    assert seen == hashes(run, "a")


async def test_file_shown_by_command_can_be_edited(run: ToolRun) -> None:
    result = await invoke(run_command, {"command": "cat c", "cwd": "src"}, run)
    assert result.seen == hashes(run, "src/c")
    text = replace(run, seen=result.seen)
    args = {"file_path": "src/c", "old_string": "text", "new_string": "words"}
    assert (await invoke(edit, args, text)).ok
    assert not (await invoke(edit, {**args, "file_path": "a"}, text)).ok


@pytest.mark.parametrize("command", ["cat a gone", "ls", "cat a; true"])
async def test_other_commands_show_no_files(run: ToolRun, command: str) -> None:
    assert (await invoke(run_command, {"command": command}, run)).seen == {}


@pytest.mark.parametrize("regex", ["text of [ab]", "(?<=of )[ab]"])
async def test_files_with_shown_hits_count_as_read(run: ToolRun, regex: str) -> None:
    result = await invoke(grep, {"regex": regex}, run)
    assert result.seen == hashes(run, "a", "b")
    assert (await invoke(grep, {"regex": "nothing"}, run)).seen == {}


async def test_file_with_cut_hits_does_not_count(run: ToolRun) -> None:
    (run.workspace.root / "a").write_text(f"text{'x' * 290}\n" * 300)
    assert list((await invoke(grep, {"regex": "text"}, run)).seen) == ["a"]


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
