import os
from pathlib import Path

import pytest

from maxagent.memory.git_store import GitFailed, GitStore, git_program, store_of


@pytest.fixture
def store(tmp_path: Path) -> GitStore:
    folder = tmp_path / "project"
    folder.mkdir()
    store = store_of(folder, tmp_path / "data", [])
    store.create()
    return store


def test_a_folder_finds_its_store_again_and_no_other(tmp_path: Path) -> None:
    def directory(name: str) -> Path:
        return store_of(tmp_path / name, tmp_path / "data", ["*.log"]).directory

    assert directory("a") == directory("a") != directory("b")
    assert directory("a").parent == tmp_path / "data"


def test_other_ignore_patterns_have_another_index(tmp_path: Path) -> None:
    indexes = {
        store_of(tmp_path, tmp_path, patterns).index for patterns in (["a", "b"], ["ab"], ["b"])
    }
    assert len(indexes) == 3


def test_a_store_is_private_and_says_what_it_is(store: GitStore) -> None:
    assert oct(store.directory.stat().st_mode & 0o777) == "0o700"
    assert str(store.folder) in (store.directory / "description").read_text()
    assert not (store.directory / "hooks").exists()


async def test_git_runs_in_the_folder_on_the_store(store: GitStore) -> None:
    asked = ("rev-parse", "--absolute-git-dir", "--show-toplevel")
    said = (await store.git(*asked)).decode().splitlines()
    assert said == [str(store.directory), str(store.folder)]
    assert await store.git("hash-object", "--stdin", given=b"x" * 1_000_000)


async def test_gits_own_words_are_in_the_error(store: GitStore) -> None:
    with pytest.raises(GitFailed, match="git cat-file failed: .*Not a valid object name"):
        await store.git("cat-file", "-p", "nothing")


async def test_no_configuration_but_the_stores_counts(
    store: GitStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(store.folder))
    (store.folder / ".gitconfig").write_text("[core]\n\tautocrlf = true\n[user]\n\tname = x\n")
    said = (await store.git("config", "--list", "--show-origin")).decode()
    origins = {line.split("\t")[0] for line in said.splitlines()}
    assert origins == {f"file:{store.directory / 'config'}"}


def test_only_absolute_entries_of_the_path_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("git", "bin/git"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin"]))
    assert git_program() is None
    monkeypatch.setenv("PATH", os.pathsep.join(["bin", str(tmp_path)]))
    assert git_program() == str(tmp_path / "git")
