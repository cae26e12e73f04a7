"""A rule on files holds for the commands that name them."""

from pathlib import Path

import pytest
from rule_texts import ruled

from maxagent.tools.permissions.command_files import find_edited_names
from maxagent.tools.permissions.evaluate import evaluate_call
from maxagent.tools.shell.parsing.command_line import CommandLine
from maxagent.tools.shell.parsing.shell_state import ShellState
from maxagent.tools.workspace import Workspace

FILES = ("notes.txt", "private/key.txt", "src/a.py", "build/out.js", "link.txt")


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    root = tmp_path / "project"
    for name in FILES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x\n")
    (root / "link.txt").unlink()
    (root / "link.txt").symlink_to("private/key.txt")
    return Workspace(root)


def decide(workspace: Workspace, command: str, *rules: str, cwd: str = ".") -> str:
    args = {"command": command, "cwd": cwd}
    policy = ruled("auto", *rules)
    return evaluate_call("run_command", "execute", args, (), workspace, policy).verdict


@pytest.mark.parametrize(
    "command",
    [
        "cat private/key.txt",
        "cat ./private/../private/key.txt",
        "cd private && head -n 1 key.txt",
        "make && tail private/key.txt",
        "grep -r x private",
        "base64 private/key.txt",
        "awk 1 < private/key.txt",
        "sudo cat private/key.txt",
        "bash -c 'cat private/key.txt'",
        "cp private/key.txt copy.txt",
        "tar cf x.tar private",
        "echo $(cat private/key.txt)",
        "cat link.txt",
        "cat PRIVATE/key.txt",
        "git diff private/key.txt",
        "cat private/*.txt",
        "find private -type f -exec cat {} +",
        "perl -ne print private/key.txt",
        "openssl enc -in private/key.txt",
    ],
)
def test_command_reads_no_denied_file(command: str, workspace: Workspace) -> None:
    assert decide(workspace, command) != "deny"
    assert decide(workspace, command, "deny read_file(private/**)") == "deny"
    assert decide(workspace, command, "ask Read(private/**)") == "ask"


def test_denied_file_is_found_from_another_folder(workspace: Workspace) -> None:
    assert decide(workspace, "cat key.txt", "deny Read(private/**)", cwd="private") == "deny"
    assert decide(workspace, "cat a.py", "deny Read(private/**)", cwd="src") == "allow"


@pytest.mark.parametrize(
    "command",
    [
        "python3 -c 'print(open(\"private/key.txt\").read())'",
        "cat *",
        "ruby -e 'puts IO.read(\"notes.txt\")'",
    ],
)
def test_uncertain_reading_is_asked(command: str, workspace: Workspace) -> None:
    rules = ("deny read_file(private/**)", "deny read_file(notes.txt)")
    assert decide(workspace, command, *rules) in ("ask", "deny")


@pytest.mark.parametrize(
    "command",
    [
        "ls private",
        "test -e private/key.txt",
        "echo private/key.txt",
        "npm run build",
        "make build",
        "pytest src/a.py",
        "cat src/a.py",
        "grep -r x src",
        "git add private/key.txt",
        "echo x > private/key.txt",
        "git commit -m 'see private/key.txt'",
    ],
)
def test_what_does_not_read_is_as_before(command: str, workspace: Workspace) -> None:
    rules = ("deny read_file(private/**)", "deny read_file(build/**)", "deny grep(src/**)")
    assert decide(workspace, command, *rules) == decide(workspace, command)


@pytest.mark.parametrize(
    "command",
    [
        "echo x > src/a.py",
        "sed -i s/x/y/ src/a.py",
        "make | tee src/a.py",
        "rm src/a.py",
        "rm -r src",
        "mv src/a.py b.py",
        "cp notes.txt src/a.py",
        "truncate -s 0 src/a.py",
        "dd if=/dev/null of=src/a.py",
        "perl -pi -e s/x/y/ src/a.py",
        "gawk -i inplace '{print}' src/a.py",
        "patch src/a.py fix.diff",
        "git checkout -- src/a.py",
        "git restore src/a.py",
        "git mv src/a.py b.py",
        "black src/a.py",
        "prettier --write src/a.py",
        "printf x | sponge src/a.py",
        "sort -osrc/a.py notes.txt",
        "find src -name a.py -delete",
        'python3 -c \'open("src/a.py", "w")\'',
        "sort --output=src/a.py notes.txt",
        "cd src && touch new.py",
        "bash -c 'echo x >> src/a.py'",
    ],
)
@pytest.mark.parametrize("rule", ["deny edit(src/**)", "ask Write(src/**)"])
def test_command_that_changes_a_file_is_asked(
    command: str, rule: str, workspace: Workspace
) -> None:
    assert decide(workspace, command) == "allow"
    assert decide(workspace, command, rule) == "ask"
    assert decide(workspace, command, rule, "allow run_command(rm:*)") == "ask"


@pytest.mark.parametrize("command", ["pytest src/a.py", "cat src/a.py", "cp src/a.py b.py", "make"])
def test_command_that_leaves_a_file_is_not_asked(command: str, workspace: Workspace) -> None:
    assert decide(workspace, command, "deny edit(src/**)", "deny edit") == "allow"


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
