"""A walk shows what git would show, and nothing that is secret."""

import os
import random
import subprocess
from pathlib import Path

import pytest

from maxagent.tools.filesystem import state_cache
from maxagent.tools.filesystem import walk as walk_module
from maxagent.tools.filesystem.state_cache import StateCache
from maxagent.tools.filesystem.walk import walk
from maxagent.tools.result import ToolError
from maxagent.tools.workspace import Workspace


def fill(root: Path, *names: str) -> Workspace:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("x")
    return Workspace(root)


def ignore(folder: Path, *lines: str) -> None:
    (folder / ".gitignore").write_text("\n".join(lines))


def names(workspace: Workspace, folder: str = ".", *, deep: bool = True) -> list[str]:
    entries = walk(workspace, workspace.root / folder, deep=deep)
    return [entry.name for entry in entries]


def test_files_come_in_order_of_their_paths(tmp_path: Path) -> None:
    workspace = fill(tmp_path, "b.py", "a/c", "a/b/d", "a.txt", "a-b/e", "Z", ".github/x")
    assert names(workspace) == sorted(names(workspace))
    assert names(workspace) == [".github/x", "Z", "a-b/e", "a.txt", "a/b/d", "a/c", "b.py"]


def test_a_shallow_walk_yields_folders_too(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert names(fill(tmp_path, "a/b", "c"), deep=False) == ["a", "c", "empty"]


def test_secret_and_git_files_are_excluded(tmp_path: Path) -> None:
    workspace = fill(
        tmp_path, ".env", ".ENV", ".env.example", "secrets/a", "secrets.py", "k.pem", ".git/HEAD"
    )
    assert names(workspace) == [".env.example", "secrets.py"]
    assert names(workspace, deep=False) == [".env.example", "secrets.py"]


def test_the_innermost_gitignore_decides(tmp_path: Path) -> None:
    workspace = fill(tmp_path, "a.log", "sub/a.log", "sub/b.log", "sub/deep/a.log", "build/x", "o")
    ignore(tmp_path, "*.log", "build/", "# no comment", "")
    ignore(tmp_path / "sub", "!a.log")
    ignore(tmp_path / "sub/deep", "/a.log")
    gitignores = {".gitignore", "sub/.gitignore", "sub/deep/.gitignore"}
    assert set(names(workspace)) == {"sub/a.log", "o"} | gitignores


def test_gitignore_cannot_bring_back_secret_files(tmp_path: Path) -> None:
    workspace = fill(tmp_path, ".env", "secrets/a")
    ignore(tmp_path, "!.env", "!secrets/", "!secrets/a")
    assert names(workspace) == [".gitignore"]


def test_an_ignored_folder_is_shown_when_asked_for(tmp_path: Path) -> None:
    workspace = fill(tmp_path, "build/lib/a", "build/lib/b.log", "src/build/c", "src/d.log")
    ignore(tmp_path, "build/", "*.log")
    assert names(workspace, "build/lib") == ["build/lib/a", "build/lib/b.log"]
    assert names(workspace, "src") == []


def test_the_folders_below_a_folder_are_not_itself(tmp_path: Path) -> None:
    workspace = fill(tmp_path, "a/x", "a/b/y", "a/b/c/z")
    ignore(tmp_path, "a/**/", "!a/b/")
    assert names(workspace) == [".gitignore", "a/b/y", "a/x"]


@pytest.mark.parametrize("line", ["[z-a]", "!", "\\", "[[:alpha:]]", "\udcff", "a[", "\0"])
def test_a_wrong_line_of_gitignore_is_passed_over(tmp_path: Path, line: str) -> None:
    workspace = fill(tmp_path, "a", "b")
    (tmp_path / ".gitignore").write_text(f"{line}\nb\n", errors="surrogateescape")
    assert names(workspace) == [".gitignore", "a"]


def test_a_gitignore_that_is_no_file_says_nothing(tmp_path: Path) -> None:
    workspace = fill(tmp_path, "a/x", "b/x", "outside")
    os.mkfifo(tmp_path / "a/.gitignore")
    (tmp_path / "b/.gitignore").symlink_to(tmp_path / "outside")
    assert {"a/x", "b/x"} <= set(names(workspace))


def test_links_are_not_followed_and_outward_ones_hidden(tmp_path: Path) -> None:
    workspace = fill(tmp_path / "project", "src/a", ".env")
    root = workspace.root
    fill(tmp_path / "outside", "b")
    (root / "in").symlink_to("src")
    (root / "self").symlink_to(".")
    (root / "out").symlink_to(tmp_path / "outside")
    (root / "secret").symlink_to(".env")
    (root / "dangling").symlink_to("nowhere")
    (root / "loop").symlink_to("loop")
    assert names(workspace) == ["dangling", "in", "loop", "self", "src/a"]


def test_where_nothing_can_be_listed_nothing_is_seen(tmp_path: Path) -> None:
    workspace = fill(tmp_path, "a", "b/c")
    assert names(workspace, "a") == []


def test_very_deep_folders_are_walked(tmp_path: Path) -> None:
    workspace = fill(tmp_path, "x/" * 300 + "file")
    assert names(workspace) == ["x/" * 300 + "file"]


def test_a_walk_that_takes_too_long_is_refused(tmp_path: Path) -> None:
    workspace = fill(tmp_path, "a")
    with pytest.raises(ToolError, match="smaller folder"):
        list(walk(workspace, tmp_path, deep=True, seconds=-1))


PATTERNS = [
    *("a", "b/", "build/", "*.py", "*.log", "!x.py", "/a", "/build", "a/b", "**/b", "a/**", "!a/b"),
    *("*", "!*/", "keep/*", "!keep/x.py", "b/*.log", "/*", "!/a", "**/keep/**", "a/*/b", "?"),
    *("[ab]", "[!a]", "#c", "\\!x"),
]


@pytest.mark.parametrize("seed", [*range(12), 71, 259, 314])  # a folder brought back below itself
def test_a_walk_shows_what_git_shows(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    root = tmp_path / "r"
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    for _ in range(12):
        folders = [chance.choice(["a", "b", "build", "keep"]) for _ in range(chance.randint(0, 3))]
        fill(root, "/".join([*folders, chance.choice(["x.py", "y.log", "z"])]))
    below = sorted(path for path in root.iterdir() if path.is_dir())
    for folder in chance.sample([root, *below], 2):
        if folder.name != ".git":
            ignore(folder, *chance.sample(PATTERNS, chance.randint(1, 4)))
    command = ["git", "ls-files", "-co", "--exclude-standard"]
    text = subprocess.run(command, cwd=root, capture_output=True, check=True).stdout.decode()
    assert set(names(Workspace(root))) == set(text.split())


ACTS = [
    "touch {a}/new{n}",
    "rm -rf {a}",
    "mkdir -p {a}/{n}; touch {a}/{n}/x",
    "mv {a} {b}{n}",
    "mv {a}/x.py {b}/x{n}.py",
    "rm -rf {a}; ln -s {b} {a}",
    "ln -sfn {a}/y{n} out",
    "ln -sfn /etc out",
    "ln -sfn ../out {a}/inner",
    "rm -rf {a}; touch {a}",
    "echo x > {a}/x.py; rm {a}/x.py; mkdir {a}/x.py",
    "echo '*.py' > {a}/.gitignore",
    "echo '{b}/' > .gitignore",
    "rm -f .gitignore {a}/.gitignore",
    "echo more >> {a}/.gitignore",
    "cp -a {a} {b}{n}",
    "touch -d 2001-01-01 {a}",
    "mkdir -p {a}/secrets; touch {a}/secrets/x {a}/.env",
]


@pytest.mark.parametrize("seed", range(3))
def test_a_walk_from_memory_shows_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(state_cache, "SETTLED", 20_000_000)
    chance, folders = random.Random(seed), ["a", "b", "a/c", "a/c/d", "e"]
    workspace = fill(tmp_path, *(f"{folder}/x.py" for folder in folders))
    names(workspace)
    for number in range(40):
        a, b = chance.sample(folders, 2)
        command = chance.choice(ACTS).format(a=a, b=b, n=number)
        subprocess.run(["sh", "-c", command], cwd=tmp_path, capture_output=True)
        shown = list(walk(workspace, tmp_path, deep=True))
        with monkeypatch.context() as anew:
            anew.setattr(walk_module, "_listings", StateCache(0))
            anew.setattr(walk_module, "_files", StateCache(0))
            assert shown == list(walk(workspace, tmp_path, deep=True)), command
