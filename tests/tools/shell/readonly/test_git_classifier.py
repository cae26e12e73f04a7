"""More lines: tests/corpora/read_only.yaml; what a hostile repository tries: test_git_traps.py."""

import os
import shlex
import subprocess
from pathlib import Path

import pytest

from maxagent.config.security.ignore_patterns import IGNORE_PATTERNS
from maxagent.tools.git.hardened_git import GUARD
from maxagent.tools.process.environment import build_child_environment
from maxagent.tools.shell.readonly.classifier import explain_not_read_only
from maxagent.tools.shell.readonly.path_scope import PathScope
from maxagent.tools.workspace import Workspace

SECRET = "c4nary"


def git(root: Path, *arguments: str) -> str:
    person = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    done = subprocess.run(
        ["git", *person, *arguments], cwd=root, check=True, capture_output=True, text=True
    )
    return done.stdout.strip()


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A repository that had a secret once."""
    root = tmp_path / "project"
    (root / "src").mkdir(parents=True)
    git(root, "init", "-q", "-b", "main")
    (root / ".gitattributes").write_text("* text=auto\n*.py diff=python\n")
    for name in (".env.production", "src/Server.PEM", "src/app.py"):
        (root / name).write_text(f"{SECRET if 'app' not in name else 'x'} = 1\n")
    git(root, "add", ".")
    git(root, "commit", "-q", "-m", "With secrets")
    git(root, "rm", "-q", ".env.production", "src/Server.PEM")
    git(root, "commit", "-q", "-m", "Without")
    return root


def why(root: Path, line: str) -> str:
    return explain_not_read_only(shlex.split(line), PathScope(root, Workspace(root)))


def run(root: Path, line: str) -> str:
    environment = build_child_environment(os.environ, GUARD)
    parts = shlex.split(line)
    return subprocess.run(parts, cwd=root, env=environment, capture_output=True, text=True).stdout


@pytest.mark.parametrize(
    "line",
    [
        "git log -p",
        "git log -p --all -U0 --word-diff",
        "git show HEAD",
        "git show HEAD~1",
        "git diff HEAD~1",
        "git diff HEAD~1 HEAD -W",
        "git diff-tree -p HEAD",
        "git grep = HEAD~1",
        "git log -p -m --cc --stat",
    ],
)
def test_what_was_secret_once_is_not_shown(line: str, root: Path) -> None:
    assert why(root, line) == ""
    result = run(root, line)
    assert result
    assert SECRET not in result


@pytest.mark.parametrize(
    ("file", "line"),
    [
        (".gitattributes", "* diff"),
        (".gitattributes", "*.pem diff=x"),
        (".gitattributes", '".env.*" text !diff -merge'),
        (".gitattributes", "\t[attr]shown diff"),
        ("src/.gitattributes", "*\tdiff\r"),
        (".git/info/attributes", "*.* diff=x"),
        (".gitattributes", "*.txt diff"),
        (".gitattributes", "*env diff=x"),
        (".gitattributes", ".envrc diff=x"),
        (".gitattributes", "*.json diff=json"),
        (".gitattributes", "**/*.yml text diff=python"),
        (".gitattributes", "config.json diff=x"),
        (".gitattributes", "**/Config.json diff=x"),
    ],
)
def test_attributes_that_may_reveal_old_secrets_are_asked(file: str, line: str, root: Path) -> None:
    (root / file).parent.mkdir(exist_ok=True)
    (root / file).write_text(f"# * diff\n*.py diff=python\na.txt diff=x\n*.png -diff\n{line}\n")
    for command in ("log -p", "show HEAD", "diff HEAD~1", "grep = HEAD~1", "log -p --follow a.py"):
        assert "sets how git shows" in why(root, f"git {command}")
    for command in ("log --stat", "diff", "grep =", "log -p src/app.py", "diff HEAD -- src/app.py"):
        assert why(root, f"git {command}") == ""


def test_deleted_attributes_file_is_asked(root: Path) -> None:
    (root / ".gitattributes").unlink()
    assert "is deleted" in why(root, "git log -p")


def test_ignored_file_in_shown_history_is_asked(root: Path) -> None:
    hiding = PathScope(root, Workspace(root, (*IGNORE_PATTERNS, "private.txt", "!x")))
    answers = {
        line: explain_not_read_only(shlex.split(line), hiding)
        for line in ("git log -p", "git show HEAD~1", "git log -p src/app.py", "git diff")
    }
    assert ["`private.txt`" in answer for answer in answers.values()] == [True, True, False, False]


@pytest.mark.parametrize("name", ["\\.env.production", "src/Server.P\\EM", "src\\/Server.PEM"])
def test_a_backslash_hides_no_name_from_the_check(name: str, root: Path) -> None:
    git(root, "checkout", "-q", "HEAD~1", "--", ".")
    for command in ("show HEAD --", "diff HEAD~1 --", "log -p --", "grep --cached = --"):
        assert why(root, f"git {command} {shlex.quote(name)}")


def test_blob_hash_does_not_show_file_content(root: Path) -> None:
    blob = git(root, "rev-parse", "HEAD~1:.env.production")
    commit = git(root, "rev-parse", "HEAD~1")
    lines = ["show {}", "cat-file -p {}", "diff {} HEAD", "diff HEAD..{}", "show x-1-g{}"]
    lines += ["show {}^{{}}", "cat-file -p {}^{{blob}}", "grep . {}^{{object}}"]
    for line in lines:
        assert "a file's content" in why(root, "git " + line.format(blob))
        assert "a file's content" in why(root, "git " + line.format(blob[:7]))
        assert why(root, "git " + line.format(commit[:7])) == ""
    git(root, "gc", "-q")
    assert "a file's content" in why(root, f"git show {blob[:7]}")
    assert why(root, f"git show {commit[:7]}") == ""


def test_nor_by_a_tag_on_it(root: Path) -> None:
    git(root, "tag", "light", "HEAD~1:.env.production")
    git(root, "tag", "-a", "-m", "x", "heavy", "light")
    git(root, "tag", "-a", "-m", "x", "v1")
    for packed in (False, True):
        for name in ("light", "heavy", "heavy^{}", "tags/light", "refs/tags/heavy", "v1..heavy"):
            assert "a file's content" in why(root, f"git show {name}")
            assert "a file's content" in why(root, f"git cat-file -p {name}")
        for line in ("git show --tags", "git show --all --no-walk"):
            assert "a tag points to" in why(root, line)
        for line in ("git show v1", "git log main", "git log --all -p", "git diff main@{0}"):
            assert why(root, line) == ""
        if not packed:
            git(root, "pack-refs", "--all")


def test_file_name_does_not_hide_tag_of_blob(root: Path) -> None:
    git(root, "tag", "light", "HEAD~1:.env.production")
    (root / "light").touch()
    assert "a file's content" in why(root, "git cat-file -p light")
    assert why(root, "git log -- light") == ""


def test_file_in_commit_needs_plain_revision(root: Path) -> None:
    assert why(root, "git show main@{0}:src/app.py") == ""
    assert "is not known" in why(root, "git show 'HEAD@{now:}~1:.env.production'")


def test_tracked_secret_blocks_content_unless_outside_limits(root: Path) -> None:
    (root / "server.key").write_text(SECRET)
    git(root, "add", ".")
    assert why(root, "git diff") == "git tracks `server.key`, which tools may not read"
    assert "server.key" in why(root, "git show HEAD")
    assert "server.key" in why(root, "git diff HEAD -- .")
    assert "server.key" in why(root, "git diff -- '*'")
    assert "server.key" in why(root, "git diff -- src '*.key'")
    assert why(root, "git diff -- src") == ""
    assert why(root, "git diff src/app.py") == ""
    assert why(root, "git diff --stat") == ""
    assert why(root, "git log --oneline") == ""


def test_repository_above_project_shows_only_names(root: Path) -> None:
    inner = Workspace(root / "src")
    for line, output in [("git status", True), ("git log", True), ("git diff", False)]:
        reason = explain_not_read_only(shlex.split(line), PathScope(root / "src", inner))
        assert (reason == "") == output


def test_a_submodule_is_left_alone_or_asked(root: Path) -> None:
    (root / "sub").mkdir()
    git(root / "sub", "init", "-q")
    git(root / "sub", "commit", "-q", "--allow-empty", "-m", "x")
    git(root, "add", "sub")
    assert "submodules" in why(root, "git status")
    assert "submodules" in why(root, "git status --ignore-submodules=none")
    assert why(root, "git status --ignore-submodules=dirty") == ""
    assert why(root, "git diff --ignore-submodules") == ""
    assert why(root, "git log --oneline") == ""


def test_git_outside_repository_cannot_compare_secrets(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/.env").write_text(SECRET)
    assert why(tmp_path, "git status") == why(tmp_path, "git log -p") == ""
    assert "a/.env" in why(tmp_path, "git diff a b")


def test_a_password_in_an_address_is_not_shown(root: Path) -> None:
    git(root, "config", "remote.origin.url", "https://me:token@example.org/x")
    for line in ("git remote -v", "git config --get remote.origin.url"):
        assert "contains a password" in why(root, line)
    assert why(root, "git status") == ""
