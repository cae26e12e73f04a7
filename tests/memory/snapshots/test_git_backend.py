"""Snapshots inside real repositories of the user, who must never notice."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from maxagent.memory.snapshots.file_version import filter_visible
from maxagent.memory.snapshots.git_backend import EMPTY_TREE
from maxagent.memory.snapshots.store import Snapshots

HOOKS = ["post-index-change", "pre-commit", "post-checkout", "reference-transaction", "pre-auto-gc"]


def git(where: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=u", "-c", "user.email=u@localhost", "-c", "commit.gpgSign=false"]
    allowed = ["-c", "protocol.file.allow=always", "-c", "core.hooksPath=/dev/null"]
    command = ["git", *identity, *allowed, *arguments]
    environ = {name: text for name, text in os.environ.items() if not name.startswith("GIT_")}
    ran = subprocess.run(
        command, cwd=where, check=True, capture_output=True, text=True, env=environ
    )
    return ran.stdout


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A repository with a commit."""
    folder = tmp_path / "project"
    write(folder, {"a.py": "a = 1\n", "sub/b.txt": "b\n", "sub/deep/c": "c\n"})
    git(folder, "init", "-q")
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "first")
    return folder


def snapshots_of(folder: Path, exclude: tuple[str, ...] = ()) -> Snapshots:
    home = next(parent for parent in folder.parents if (parent / "project").exists())
    return Snapshots(folder, home / "data" / "snapshots", exclude)


async def paths(snapshots: Snapshots, names: tuple[str, ...] = ()) -> set[str]:
    """What a snapshot has."""
    changes = await snapshots.list_changes(EMPTY_TREE, await snapshots.take(names))
    return {change.path for change in filter_visible(changes)}


def every_file(*places: Path) -> dict[str, tuple[str, int, int]]:
    """Content, mode and time of change of each file below."""
    result: dict[str, tuple[str, int, int]] = {}
    for location in places:
        for path in [location, *location.rglob("*")]:
            at = path.lstat()
            content = path.read_bytes() if path.is_file() and not path.is_symlink() else b""
            digest = hashlib.sha256(content).hexdigest()
            result[str(path)] = (digest, at.st_mode, at.st_mtime_ns)
    return result


def in_a_repository(folder: Path) -> Path:
    return folder


def in_a_subfolder(folder: Path) -> Path:
    return folder / "sub"


def in_a_worktree(folder: Path) -> Path:
    git(folder, "worktree", "add", "-q", str(folder.parent / "worktree"))
    return folder.parent / "worktree"


def in_a_submodule(folder: Path) -> Path:
    shutil.copytree(folder, folder.parent / "library")
    git(folder, "submodule", "add", "-q", str(folder.parent / "library"), "module")
    return folder / "module"


def around_a_submodule(folder: Path) -> Path:
    in_a_submodule(folder)
    return folder


def around_a_repository(folder: Path) -> Path:
    shutil.copytree(folder, folder / "nested")
    return folder


def in_a_sparse_checkout(folder: Path) -> Path:
    write(folder, {"far/away": "x"})
    git(folder, "add", ".")
    git(folder, "commit", "-qm", "far")
    git(folder, "sparse-checkout", "set", "--sparse-index", "sub/deep")
    return folder


def with_a_split_index(folder: Path) -> Path:
    git(folder, "update-index", "--split-index")
    return folder


def set_traps(repository: Path, home: Path, trap: Path) -> None:
    """Every way in which a repository or its user can have git run something."""
    common = Path(
        git(repository, "rev-parse", "--path-format=absolute", "--git-common-dir").strip()
    )
    (common / "hooks").mkdir(exist_ok=True)
    for hook in HOOKS:
        shutil.copy(trap, common / "hooks" / hook)
    for key in ("core.fsmonitor", "filter.t.clean", "filter.t.smudge", "filter.t.process"):
        git(repository, "config", key, str(trap))
    for key in ("diff.t.textconv", "diff.external", "gpg.program", "core.sshCommand"):
        git(repository, "config", key, str(trap))
    for key in ("commit.gpgSign", "filter.t.required", "core.autocrlf"):
        git(repository, "config", key, "true")
    home.mkdir(exist_ok=True)
    shutil.copy(common / "config", home / ".gitconfig")
    (repository / ".gitattributes").write_text("* filter=t diff=t text eol=crlf ident\n")


@pytest.mark.parametrize(
    "function",
    [
        in_a_repository,
        in_a_subfolder,
        in_a_worktree,
        in_a_submodule,
        around_a_submodule,
        around_a_repository,
        in_a_sparse_checkout,
        with_a_split_index,
    ],
)
async def test_user_repository_stays_identical(
    function: Callable[[Path], Path], folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = function(folder)
    sprung, trap = tmp_path / "sprung", tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\necho sprung >> {sprung}\ncat\n")
    trap.chmod(0o755)
    set_traps(project, tmp_path / "home", trap)
    write(project, {"staged.py": "staged\n", "both.py": "staged\n", "crlf": "one\r\n$Id$\r\n"})
    for key in ("core.fsmonitor", "filter.t.clean", "filter.t.process"):  # so that it can be staged
        git(project, "config", key, "")
    git(project, "-c", "filter.t.required=false", "add", "staged.py", "both.py")
    for key in ("core.fsmonitor", "filter.t.clean", "filter.t.process"):
        git(project, "config", key, str(trap))
    write(project, {"both.py": "staged\nand changed\n"})
    entries = [path for path in (folder.parent).rglob(".git") if "data" not in path.parts]
    assert entries
    before, staged = every_file(*entries), git_index_of(project)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("GIT_DIR", str(folder / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(folder / ".git" / "index"))

    snapshots = snapshots_of(project)
    old = await snapshots.take()
    write(project, {"staged.py": "changed\n", "new.py": "new\n"})
    new = await snapshots.take(named_files=["new.py"])
    assert {change.path for change in await snapshots.list_changes(old, new)} == {
        "new.py",
        "staged.py",
    }
    assert "-staged\n+changed\n" in await snapshots.diff(old, new)
    (crlf,) = [c for c in await snapshots.list_changes(EMPTY_TREE, new) if c.path == "crlf"]
    assert (await snapshots.read_blobs([crlf.new.blob]))[crlf.new.blob] == b"one\r\n$Id$\r\n"

    assert every_file(*entries) == before
    assert git_index_of(project) == staged
    assert not sprung.exists()
    monkeypatch.undo()
    subprocess.run(["git", "status"], cwd=project, capture_output=True)
    assert sprung.exists()  # so these were traps


def git_index_of(project: Path) -> bytes:
    index = git(project, "rev-parse", "--path-format=absolute", "--git-path", "index").strip()
    return Path(index).read_bytes()


async def test_sparse_checkout_snapshot_matches_disk(folder: Path) -> None:
    in_a_sparse_checkout(folder)
    assert await paths(snapshots_of(folder)) == {"a.py", "sub/b.txt", "sub/deep/c"}


async def test_rules_above_a_project_in_a_subfolder_hold(folder: Path) -> None:
    write(
        folder, {".gitignore": "*.log\n/sub/build/\n/elsewhere/\n", ".git/info/exclude": "mine\n"}
    )
    write(folder / "sub", {"x.log": "", "build/x": "", "mine": "", "elsewhere/x": "", "keep": ""})
    write(folder / "sub" / "deep", {".gitignore": "!*.log\n", "y.log": ""})
    assert await paths(snapshots_of(folder / "sub")) == {
        *("b.txt", "keep", "elsewhere/x", "deep/c", "deep/.gitignore", "deep/y.log"),
    }


async def test_own_patterns_apply_to_project_not_repository(
    folder: Path,
) -> None:
    write(folder / "sub", {"key": "", "in/key": "", "in/x": "", "a.pem": "", "in/b.pem": ""})
    snapshots = snapshots_of(folder / "sub", ("/key", "in/x", "*.pem", "!b.pem"))
    assert await paths(snapshots) == {"b.txt", "deep/c", "in/key", "in/b.pem"}


@pytest.mark.parametrize("rule", ["sub", "/sub/", "*", "su?/"])
async def test_rules_of_repository_ignoring_project_do_not_apply(rule: str, folder: Path) -> None:
    """As a home folder kept in git does, with `*`."""
    write(folder, {".gitignore": f"*.log\n{rule}\n", "sub/x.log": "", "sub/deep/.gitignore": "y\n"})
    write(folder, {"sub/deep/y": "", ".git/info/exclude": "b.txt\n"})
    assert await paths(snapshots_of(folder / "sub" / "deep")) == {"c", ".gitignore"}
    assert await paths(snapshots_of(folder / "sub")) == {
        *("b.txt", "x.log", "deep/c", "deep/.gitignore"),
    }


async def test_project_reincluded_by_gitignore_is_not_ignored(folder: Path) -> None:
    write(folder, {".gitignore": "/*\n!/sub/\n*.log\n", "sub/x.log": ""})
    assert await paths(snapshots_of(folder / "sub")) == {"b.txt", "deep/c"}


async def test_an_empty_subfolder_has_a_snapshot_too(folder: Path) -> None:
    (folder / "empty").mkdir()
    snapshots = snapshots_of(folder / "empty")
    assert await snapshots.take() == EMPTY_TREE
    write(folder / "empty", {"x": "x"})
    assert await paths(snapshots) == {"x"}
    (folder / "empty" / "x").unlink()
    assert await snapshots.take() == EMPTY_TREE


async def test_worktree_uses_exclude_file_of_repository(folder: Path) -> None:
    worktree = in_a_worktree(folder)
    write(folder, {".git/info/exclude": "mine\n"})
    write(worktree, {"mine": "", "ours": ""})
    assert await paths(snapshots_of(worktree)) == {"a.py", "ours", "sub/b.txt", "sub/deep/c"}


async def test_names_differing_in_case_are_two_files(folder: Path) -> None:
    write(folder, {"A.py": "other\n"})
    if (folder / "a.py").read_text() == "other\n":
        pytest.skip("this disk does not tell them apart")
    snapshots = snapshots_of(folder)
    assert {"a.py", "A.py"} < await paths(snapshots)
    old = await snapshots.take()
    write(folder, {"A.py": "changed\n"})
    assert [
        change.path for change in await snapshots.list_changes(old, await snapshots.take())
    ] == ["A.py"]


async def test_ignored_file_written_by_tool_stays_included(folder: Path) -> None:
    write(folder, {".gitignore": "out/\n", "out/a": "1", "out/b": "1", "out/c": "1"})
    before = await snapshots_of(folder).take(named_files=["out/a"])
    assert await paths(snapshots_of(folder)) == await paths(snapshots_of(folder), ("out/a",))
    write(folder, {"out/a": "2", "out/b": "2"})
    other = snapshots_of(folder)
    assert [c.path for c in await other.list_changes(before, await other.take())] == ["out/a"]
    (folder / "out" / "a").unlink()
    assert "out/a" not in await paths(other)
    write(folder, {"out/a": "made again by a command"})
    assert "out/a" in await paths(other)
    assert "out/a" in await paths(snapshots_of(folder))
    (index,) = other.directory.glob("index-*")
    index.unlink()
    result = await paths(snapshots_of(folder))
    assert {"out/a", "out/b", "out/c"} & result == {"out/a"}


@pytest.mark.parametrize(
    "function",
    [
        in_a_repository,
        in_a_subfolder,
        in_a_worktree,
        in_a_submodule,
        in_a_sparse_checkout,
        with_a_split_index,
    ],
)
async def test_what_git_tracks_is_in_though_ignored(
    function: Callable[[Path], Path], folder: Path
) -> None:
    project = function(folder)
    ignored = {"out/a": "1", "out/b": "1", ".venv/kept": "1", ".env": "1", "node_modules/x": "1"}
    write(project, {".gitignore": "out/\n.env\n", **ignored})
    (project / "out" / "link").symlink_to("a")
    git(project, "add", "--sparse", "-f", ".gitignore", "out/a", "out/link", ".venv/kept", ".env")
    names = {"out/a", "out/link", ".venv/kept"}
    assert await paths(snapshots_of(project, (".env",))) & {*ignored, "out/link"} == names
    write(project, {"out/a": "2", "out/b": "2"})
    (project / "out" / "link").unlink()
    snapshots = snapshots_of(project, (".env",))
    old = await snapshots.take()
    write(project, {"out/a": "3", ".env": "3"})
    (change,) = await snapshots.list_changes(old, await snapshots.take())
    assert change.path == "out/a"


async def test_unreadable_index_does_not_stop_snapshot(folder: Path) -> None:
    (folder / ".git" / "index").write_bytes(b"torn")
    assert await paths(snapshots_of(folder)) == {"a.py", "sub/b.txt", "sub/deep/c"}


async def test_named_file_created_later_is_included(folder: Path) -> None:
    write(folder, {".gitignore": "out/\n"})
    snapshots = snapshots_of(folder)
    assert "out/a" not in await paths(snapshots, ("out/a",))
    write(folder, {"out/a": "1"})
    assert "out/a" in await paths(snapshots)


@pytest.mark.parametrize(
    "name",
    [
        *(
            ".env",
            "sub/.env",
            "SECRETS/x",
            "../outside",
            "/etc/passwd",
            ".git/config",
            "sub/.GIT/x",
        ),
        *(
            "",
            ".",
            "link/outside",
            "sub",
            "sub/",
            "pipe",
            "nothing",
            "a.py/below",
            "nested/.git/HEAD",
        ),
    ],
)
async def test_forbidden_path_is_not_stored_when_named(name: str, folder: Path) -> None:
    write(folder.parent, {"outside": "TOP-SECRET", "elsewhere/outside": "TOP-SECRET"})
    write(folder, {".env": "TOP-SECRET", "sub/.env": "TOP-SECRET", "SECRETS/x": "TOP-SECRET"})
    write(folder, {"sub/.GIT/x": "TOP-SECRET"})
    (folder / "link").symlink_to(folder.parent / "elsewhere")
    os.mkfifo(folder / "pipe")
    git(folder, "init", "-q", "nested")
    snapshots = snapshots_of(folder, (".env", "**/secrets/**", ".GIT/"))
    existing = await paths(snapshots)
    assert (
        await paths(snapshots, (name,)) == existing == {"a.py", "link", "sub/b.txt", "sub/deep/c"}
    )


async def test_names_special_to_git_are_stored(folder: Path) -> None:
    odd = ["git~1", ".git ", ".git.", "a\\b", ".git\u200c", ".gitmodules ", "HEAD", "index.lock"]
    write(folder, dict.fromkeys(odd, "x") | {"x/.GIT/config": "x", ".Git": "x"})
    (folder / "x" / ".gitModules").symlink_to("nowhere")
    snapshots = snapshots_of(folder)
    assert await paths(snapshots) == {"a.py", "sub/b.txt", "sub/deep/c", *odd}
    assert "`.Git`, `x/.GIT/config`, `x/.gitModules`" in snapshots.skipped


async def test_secrets_stay_out_whatever_their_case(folder: Path) -> None:
    write(folder, {".ENV": "x", "Secrets/y": "x", "certs/A.PEM": "x", ".env.Example": "x"})
    exclude = (".env", ".env.*", "!.env.example", "*.pem", "**/secrets/**", "[x-z]?q", "\\!odd")
    result = await paths(snapshots_of(folder, exclude))
    assert result == {"a.py", "sub/b.txt", "sub/deep/c", ".env.Example"}
