import asyncio
import os
import select
import subprocess
import threading
from dataclasses import replace
from functools import partial
from pathlib import Path
from subprocess import DEVNULL

import pytest

from maxagent.memory.snapshots.git_repository import (
    GitCommandError,
    GitStore,
    GitTimeoutError,
    WorkCancelled,
    find_git,
    get_index_path,
    get_work,
    run_in_thread,
)


@pytest.fixture
def store(tmp_path: Path) -> GitStore:
    folder = tmp_path / "project"
    folder.mkdir()
    directory = tmp_path / "data" / "store"
    store = GitStore(folder, directory, folder, directory / "index", find_git() or "")
    store.create(b"")
    return store


def test_other_patterns_or_top_use_another_index(tmp_path: Path) -> None:
    indexes = {get_index_path(tmp_path, some, tmp_path) for some in (["a", "b"], ["ab"], ["b"])}
    assert len({*indexes, get_index_path(tmp_path, ["b"], tmp_path.parent)}) == 4


def test_a_store_is_private_and_has_no_hooks(store: GitStore) -> None:
    assert oct(store.directory.stat().st_mode & 0o777) == "0o700"
    assert not (store.directory / "hooks").exists()


def test_store_broken_or_outdated_is_repaired(store: GitStore) -> None:
    before = (store.directory / "config").read_bytes()
    (store.directory / "config").write_bytes(b"")
    (store.directory / "info" / "attributes").unlink()
    store.create(b"*.mine\n")
    assert (store.directory / "config").read_bytes() == before
    assert (store.directory / "info" / "attributes").exists()
    assert (store.directory / "info" / "exclude").read_bytes() == b"*.mine\n"


def test_the_index_is_read_as_git_reads_it(store: GitStore) -> None:
    assert (store.count_index_files(), store.measure_index(), store.read_index_state()) == (
        0,
        0,
        None,
    )
    names = ["a", "b" * 100, "c" * 101, "d" * 5000, "e" * 4095, "f" * 4094]
    entries = "".join(f"100644 {'1' * 40}\t{name}\n" for name in names)
    store.run_git("update-index", "--index-info", stdin=entries.encode())
    for number in range(20):
        (store.folder / ("z" * number + "z")).write_bytes(b"x" * number)
        (store.folder / ("B" * number + "B")).write_bytes(b"x" * number)
    git = store.run_git("ls-files", "-o", "-z")
    store.run_git("update-index", "--add", "-z", "--stdin", stdin=git)
    assert store.count_index_files() == len(names) + 40
    assert store.measure_index() == 2 * sum(range(20))


def test_git_runs_in_the_folder_on_the_store(store: GitStore) -> None:
    asked = ("rev-parse", "--absolute-git-dir", "--show-toplevel")
    lines = store.run_git(*asked).decode().splitlines()
    assert lines == [str(store.directory), str(store.folder)]
    assert store.run_git("hash-object", "--stdin", stdin=b"x" * 1_000_000)


def test_gits_own_words_are_in_the_error(store: GitStore) -> None:
    with pytest.raises(GitCommandError, match="git cat-file failed: .*Not a valid object name"):
        store.run_git("cat-file", "-p", "nothing")


def test_a_git_that_never_ends_is_stopped(store: GitStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxagent.memory.snapshots.git_repository.TIMEOUT", 0.3)
    os.mkfifo(store.folder / ".gitignore")
    with pytest.raises(GitTimeoutError, match="did not look through"):
        store.run_git("ls-files", "-o", "--exclude-standard")


def test_no_configuration_but_the_stores_counts(
    store: GitStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(store.folder))
    (store.folder / ".gitconfig").write_text("[core]\n\tautocrlf = true\n[user]\n\tname = x\n")
    text = store.run_git("config", "--list", "--show-origin").decode()
    origins = {line.split("\t")[0] for line in text.splitlines()}
    assert origins == {f"file:{store.directory / 'config'}"}


def test_only_absolute_entries_of_the_path_count(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("git", "bin/git"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text("#!/bin/sh\necho git version 2.39.5\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", os.pathsep.join(["", ".", "bin"]))
    assert find_git() is None
    monkeypatch.setenv("PATH", os.pathsep.join(["bin", str(tmp_path)]))
    assert find_git() == str(tmp_path / "git")


@pytest.mark.parametrize(
    "command",
    ["gc --prune=now", "prune --expire=now", "repack -a -d", "prune-packed", "maintenance run"],
)
def test_rubbish_collection_of_git_loses_no_snapshot(command: str, store: GitStore) -> None:
    git = ["git", "--git-dir", str(store.directory)]
    stored = subprocess.run([*git, "hash-object", "-w", "--stdin"], input=b"x", capture_output=True)
    subprocess.run([*git, *command.split()], capture_output=True, check=False)
    result = subprocess.run([*git, "cat-file", "-p", stored.stdout.strip()], capture_output=True)
    assert result.stdout == b"x", result.stderr


async def test_thread_returns_its_result() -> None:
    assert await run_in_thread(lambda first, term: first + term, 1, term=2) == 3
    with pytest.raises(ZeroDivisionError):
        await run_in_thread(lambda: 1 / 0)


def run_sleeper(started: threading.Event, ends: list[object], folder: Path) -> None:
    process = get_work().start(["sleep", "600"], folder, os.environ, DEVNULL, (), has_helpers=False)
    started.set()
    with process:
        ends.append(process.wait())
    try:
        get_work().start(["sleep", "600"], folder, os.environ, DEVNULL, (), has_helpers=False)
    except WorkCancelled:
        ends.append("no other")
        raise


async def test_cancelled_thread_kills_its_process(tmp_path: Path) -> None:
    started, ends = threading.Event(), list[object]()
    task = asyncio.ensure_future(run_in_thread(run_sleeper, started, ends, tmp_path))
    await asyncio.to_thread(started.wait)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ends == [-9, "no other"]


async def test_cancelled_thread_has_ended() -> None:
    started, gate, ended = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        started.set()
        gate.wait()
        ended.set()

    task = asyncio.ensure_future(run_in_thread(work))
    await asyncio.to_thread(started.wait)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert ended.is_set()


def write_git_with_helper(folder: Path) -> str:
    """Write a git whose helper keeps the pipes open and does not end."""
    program = folder / "git"
    program.write_text("#!/bin/sh\nsleep 600 &\necho $! > helper\nwait\n")
    program.chmod(0o755)
    return str(program)


async def test_cancelled_network_ends_with_its_helpers(store: GitStore) -> None:
    git = replace(store, program=write_git_with_helper(store.directory))
    task = asyncio.ensure_future(run_in_thread(partial(git.run_git, network=True), "push"))
    helper = store.folder / "helper"
    while not (helper.exists() and helper.read_text()):
        await asyncio.sleep(0.01)
    process = os.pidfd_open(int(helper.read_text()))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    # its end comes soon after the signal
    assert select.select([process], [], [], 20)[0]
    os.close(process)


def test_network_without_answer_is_said(store: GitStore, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("maxagent.memory.snapshots.git_repository.TIMEOUT", 0.3)
    git = replace(store, program=write_git_with_helper(store.directory))
    with pytest.raises(GitCommandError, match=r"git push had no answer in 0\.3 seconds"):
        git.run_git("push", network=True)
