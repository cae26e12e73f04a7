import os
import subprocess
from pathlib import Path

import pytest

from maxagent.tools.shell.parsing.flags import NotReadOnlyError
from maxagent.tools.shell.readonly.git_index import TrackedFiles, read_tracked_files
from maxagent.tools.workspace import Workspace

NAMES = [".env", "a", "a.pem", "deep/er/secrets/x", "deep/er/y", "longer-than-others/" + "n" * 200]


def git(root: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=root, check=True, capture_output=True, text=True)
    return done.stdout


def made(root: Path, *options: str) -> Path:
    git(root, "init", "-q", *options)
    for name in NAMES:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("x")
    git(root, "add", "-f", ".")
    return root


def looked_at(root: Path, hash_size: int = 20) -> TrackedFiles:
    return read_tracked_files(root / ".git", root, Workspace(root), hash_size)


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_secrets_are_found_in_every_index_version(version: str, tmp_path: Path) -> None:
    root = made(tmp_path)
    git(root, "add", "-N", "a") if version == "3" else None
    git(root, "update-index", "--index-version", version)
    git(root, "update-index", "--skip-worktree", "a")  # an entry with more flags
    result = looked_at(root)
    assert result.secrets == (".env", "a.pem", "deep/er/secrets/x")
    assert result.folders == ("", "deep", "deep/er", "deep/er/secrets", "longer-than-others")


def test_longer_hashes_are_known(tmp_path: Path) -> None:
    root = made(tmp_path, "--object-format=sha256")
    assert looked_at(root, 32).secrets == (".env", "a.pem", "deep/er/secrets/x")


def test_a_change_is_noticed(tmp_path: Path) -> None:
    root = made(tmp_path)
    assert looked_at(root).secrets
    git(root, "rm", "-q", "-r", "--cached", ".env", "a.pem", "deep")
    assert looked_at(root).secrets == ()


def test_replaced_index_with_same_stat_is_reread(tmp_path: Path) -> None:
    root = made(tmp_path)
    index, before = root / ".git" / "index", (root / ".git" / "index").stat()
    assert ".env" in looked_at(root).secrets
    other = root / ".git" / "other"
    other.write_bytes(index.read_bytes().replace(b".env", b"_env"))
    os.utime(other, ns=(before.st_atime_ns, before.st_mtime_ns))
    other.replace(index)
    assert ".env" not in looked_at(root).secrets


def test_attributes_are_known_by_the_whole_name(tmp_path: Path) -> None:
    root = made(tmp_path)
    for name in (
        ".gitattributes",
        "deep/.gitattributes",
        "x.gitattributes",
        "deep/y.gitattributes",
    ):
        (root / name).touch()
    git(root, "add", ".")
    assert looked_at(root).attributes == (".gitattributes", "deep/.gitattributes")


def test_a_repository_in_the_repository_is_seen(tmp_path: Path) -> None:
    root = made(tmp_path)
    (root / "sub").mkdir()
    git(root / "sub", "init", "-q")
    person = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
    git(root / "sub", *person, "commit", "-q", "--allow-empty", "-m", "x")
    git(root, "add", "sub")
    assert looked_at(root).submodules == ("sub",)


def test_no_index_tracks_nothing(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    assert looked_at(tmp_path) == TrackedFiles(())


@pytest.mark.parametrize("data", [b"", b"DIRC", b"DIRC\0\0\0\2\0\0\0\5", b"x" * 200])
def test_a_damaged_index_is_a_reason(data: bytes, tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    (tmp_path / ".git/index").write_bytes(data)
    with pytest.raises(NotReadOnlyError, match="git's index cannot be read"):
        looked_at(tmp_path)


def test_an_index_in_two_files_is_a_reason(tmp_path: Path) -> None:
    root = made(tmp_path)
    git(root, "update-index", "--split-index")
    with pytest.raises(NotReadOnlyError, match="git's index cannot be read"):
        looked_at(root)
