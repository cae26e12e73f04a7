import subprocess
from pathlib import Path

import pytest

from maxagent.tools.git.git_paths import find_path_rules, guard_git_dir, resolve_gitfile


def git(folder: Path, *arguments: str) -> None:
    identity = ["-c", "user.name=a", "-c", "user.email=a@b.c", "-c", "protocol.file.allow=always"]
    subprocess.run(["git", "-C", folder, *identity, *arguments], check=True, capture_output=True)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "main"
    subprocess.run(["git", "init", "-q", folder], check=True)
    git(folder, "commit", "-q", "--allow-empty", "-m", "one")
    return folder


def names(paths: tuple[Path, ...], below: Path) -> set[str]:
    return {str(path.relative_to(below)) for path in paths}


def test_repository_is_writable_except_what_starts_programs(checkout: Path) -> None:
    path_rules = find_path_rules(checkout)
    assert names(path_rules.writable, checkout) == {".git"}
    assert names(path_rules.frozen, checkout / ".git") == {
        "config", "config.worktree", "commondir", "hooks",
    }  # fmt: skip
    assert names(path_rules.reserved, checkout / ".git") == {"config.worktree", "commondir"}


def test_a_linked_worktree_has_its_repositorys_folders(checkout: Path) -> None:
    linked = checkout.parent / "linked"
    git(checkout, "worktree", "add", "-q", str(linked))
    path_rules = find_path_rules(linked)
    own = checkout / ".git" / "worktrees" / "linked"
    assert set(path_rules.writable) == {own, checkout / ".git"}
    assert {linked / ".git", own / "commondir", own / "gitdir", own / "config.worktree"} < set(
        path_rules.frozen
    )
    assert {checkout / ".git" / name for name in ("hooks", "config", "worktrees")} < set(
        path_rules.frozen
    )


def test_a_submodule_has_its_own_folder(checkout: Path) -> None:
    git(checkout, "submodule", "add", "-q", str(checkout), "lib")
    path_rules = find_path_rules(checkout / "lib")
    own = checkout / ".git" / "modules" / "lib"
    assert path_rules.writable == (own,)
    assert {checkout / "lib" / ".git", own / "hooks", own / "config"} < set(path_rules.frozen)
    assert checkout / ".git" / "modules" in guard_git_dir(checkout / ".git").frozen


@pytest.mark.parametrize("kind", ["repository", "submodule", "worktree", "nowhere", "binary"])
def test_a_foreign_file_opens_nobody_elses_repository(checkout: Path, kind: str) -> None:
    hostile = checkout.parent / "hostile"
    hostile.mkdir()
    git(checkout, "submodule", "add", "-q", str(checkout), "lib")
    git(checkout, "worktree", "add", "-q", str(checkout.parent / "linked"))
    target = {
        "repository": checkout / ".git",
        "submodule": checkout / ".git" / "modules" / "lib",
        "worktree": checkout / ".git" / "worktrees" / "linked",
        "nowhere": checkout / "missing",
        "binary": "\0\udcff",
    }[kind]
    (hostile / ".git").write_text(f"gitdir: {target}\n", errors="surrogateescape")
    path_rules = find_path_rules(hostile)
    assert (path_rules.writable, path_rules.frozen) == ((), (hostile / ".git",))


def test_links_are_not_followed_and_missing_is_empty(checkout: Path) -> None:
    other = checkout.parent / "other"
    other.mkdir()
    assert find_path_rules(other) == find_path_rules(checkout.parent / "missing")
    (other / ".git").symlink_to(checkout / ".git")
    path_rules = find_path_rules(other)
    assert (path_rules.writable, path_rules.frozen) == ((), (checkout / ".git",))


@pytest.mark.parametrize(
    ("written", "is_own"),
    [
        ("\tworktree = {}\n", True),
        ('worktree="{}"\n', True),
        ("WorkTree\t=\t{} \r\n", True),
        ("worktree = {}-other\n", False),
        ("# worktree = {}\n", False),
        ("\n" * 60_000 + "x\n", False),
        ("worktree = {}" + " " * 60_000 + "x\n", False),
    ],
    ids=["as git writes it", "quoted", "blanks", "another", "a comment", "lines", "long blanks"],
)
def test_folder_of_a_submodule_is_read(written: str, is_own: bool, tmp_path: Path) -> None:
    folder, module = tmp_path / "checkout", tmp_path / "module"
    folder.mkdir()
    module.mkdir()
    (folder / ".git").write_text(f"gitdir: {module}\n")
    (module / "config").write_text("[core]\n" + written.format(folder))
    assert resolve_gitfile(folder) == ([module] if is_own else [])
