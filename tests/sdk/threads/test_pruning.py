import os
import shutil
import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from sent_children import run_thread
from thread_history import Kept, write

from maxagent.config import paths
from maxagent.config.errors import MaxAgentError
from maxagent.memory.snapshots.storage import get_store_directory
from maxagent.memory.threads import thread_id
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.worktrees.creation import create_worktree
from maxagent.memory.worktrees.record import list_worktrees
from maxagent.sdk.threads.pruning import IMPORT, find_unused, prune_storage
from maxagent.tools.testing.caches import locate_project_caches


def made_old(folder: Path) -> None:
    long_ago = time.time() - 7200
    for path in (folder, *folder.rglob("*")):
        os.utime(path, (long_ago, long_ago))


async def test_what_the_history_names_stays(kept: Kept) -> None:
    await kept.shell(write("a.txt", "one\n"))
    await kept.shell(write("a.txt", "two\n"))
    made_old(kept.home / "data" / "snapshots")
    await prune_storage(kept.home)
    assert (await kept.rewind(1)).paths == ("a.txt",)
    assert (kept.folder / "a.txt").read_text() == "one\n"


async def test_what_nobody_names_goes(kept: Kept) -> None:
    await kept.shell(write("a.txt", "one\n"))
    write("big.bin", os.urandom(100_000).hex())(kept.folder)
    big = await kept.snapshots.take()
    (kept.folder / "big.bin").unlink()
    await kept.snapshots.take()
    made_old(kept.home / "data" / "snapshots")
    assert await prune_storage(kept.home) > 90_000
    assert (await kept.snapshots.list_changes(*[await kept.snapshots.take()] * 2)) == []
    with pytest.raises(MaxAgentError):
        await kept.snapshots.diff(kept.history.list_entries(kept.row.thread_id)[0].before, big)


async def test_git_is_never_one_of_a_project(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await kept.shell(write("a.txt", "one\n"))
    git, ran = kept.folder / ".venv/bin/git", tmp_path / "ran"
    git.parent.mkdir(parents=True)
    git.write_text(f"#!/bin/sh\ntouch '{ran}'\n")
    git.chmod(0o755)
    monkeypatch.chdir("/")
    monkeypatch.setenv("PATH", f"{git.parent}{os.pathsep}{os.environ['PATH']}")
    await prune_storage(kept.home)
    made_old(kept.home / "data" / "snapshots")
    monkeypatch.setenv("PATH", str(git.parent))  # without another one nothing is freed
    await prune_storage(kept.home)
    assert not ran.exists()
    assert (await kept.rewind(0)).paths == ("a.txt",)


async def test_a_folder_without_threads_has_no_snapshots(kept: Kept) -> None:
    await kept.shell(write("a.txt", "one\n"))
    store = get_store_directory(kept.folder, kept.home / "data" / "snapshots")
    assert store.is_dir()
    kept.index.delete(kept.row.thread_id)
    await prune_storage(kept.home)
    assert not store.exists()


async def test_prune_keeps_store_of_former_version(kept: Kept) -> None:
    tree = await kept.snapshots.take()
    (kept.snapshots.directory / "folder").unlink()  # was not noted once
    await prune_storage(kept.home)
    assert await kept.snapshots.list_changes(tree, await kept.snapshots.take()) == []
    write("a.txt", "one\n")(kept.folder)
    assert await kept.snapshots.list_changes(tree, await kept.snapshots.take())


@pytest.mark.parametrize("kind", [paths.locate_outputs, paths.locate_backups])
async def test_only_what_belongs_to_no_thread_is_deleted(kept: Kept, kind) -> None:
    new = thread_id.create_thread_id
    names = [kept.row.thread_id, new(), "by-hand", new(), f"{IMPORT}{new()}", f"{IMPORT}{new()}"]
    for name in names:
        (kind(kept.home, name)).mkdir(parents=True)
        (kind(kept.home, name) / "file").write_text("x")
        made_old(kind(kept.home, name))
    for name in names[3:5]:  # of a thread that begins just now, and of an import
        os.utime(kind(kept.home, name))
    await prune_storage(kept.home)
    left = {path.name for path in kind(kept.home, "any").parent.iterdir()}
    assert left == {names[0], *names[2:5]}


async def test_test_caches_of_unused_folders_are_deleted(kept: Kept, tmp_path: Path) -> None:
    gone, new, other = (tmp_path / name for name in ("gone", "new", "other"))
    kept.index.record_thread(
        thread_id=thread_id.create_thread_id(),
        title="x",
        folder=str(gone),
        graph="task",
        request="x",
        options={},
    )
    caches = [locate_project_caches(each, kept.home) for each in (kept.folder, new, gone, other)]
    for cache in caches:
        (cache / "go-build").mkdir(parents=True)
        (cache / "go-build" / "file").write_text("x" * 5000)
        made_old(cache)
    os.utime(caches[1])  # the tests run just now
    assert await prune_storage(kept.home) >= 10_000
    assert [cache.exists() for cache in caches] == [True, True, False, False]


async def test_two_may_prune_at_once(kept: Kept, monkeypatch: pytest.MonkeyPatch) -> None:
    above, delete = paths.locate_outputs(kept.home, "any").parent, shutil.rmtree
    for _ in range(3):
        (folder := above / thread_id.create_thread_id()).mkdir(parents=True)
        made_old(folder)

    def just_behind_another(folder: Path, **options: bool) -> None:
        for each in above.iterdir():
            delete(each)
        delete(folder, **options)

    with monkeypatch.context() as quicker:
        quicker.setattr(shutil, "rmtree", just_behind_another)
        await prune_storage(kept.home)
    assert not [*above.iterdir()]


def test_unused_threads_are_old_and_not_running(kept: Kept) -> None:
    ten_days_ago = (datetime.now(UTC) - timedelta(days=10)).isoformat()
    old = replace(kept.row, updated_at=ten_days_ago)
    assert find_unused([old, kept.row, replace(old, status="running")], 9) == [old]
    assert find_unused([old], 11) == []


async def test_worktree_stays_while_its_agent_is_open(kept: Kept) -> None:
    base, thread = await kept.snapshots.take(), kept.row.thread_id
    await run_thread(kept.home, thread, answers=1)
    for key in ("explore-1", "shell-1", "baseline-x", "attempt-1"):
        await create_worktree(
            kept.snapshots,
            thread_id=thread,
            key=key,
            tree=base,
            sandboxed=True,
            has_own_thread=key == "attempt-1",
        )
    index = ThreadIndex(kept.home)
    index.set_status(thread, "interrupted")
    await prune_storage(kept.home)
    assert {one.key for one in list_worktrees(kept.home)} == {"shell-1", "attempt-1"}
    index.set_status(thread, "unverified")
    await prune_storage(kept.home)
    assert [one.key for one in list_worktrees(kept.home)] == ["attempt-1"]


async def test_worktrees_of_deleted_threads_go(kept: Kept) -> None:
    write("a.txt", "one\n")(kept.folder)
    base = await kept.snapshots.take()
    write("a.txt", "two\n")(kept.folder)
    await kept.snapshots.take()
    theirs = {
        thread: await create_worktree(
            kept.snapshots,
            thread_id=thread,
            key="k",
            tree=base,
            sandboxed=True,
            has_own_thread=True,
        )
        for thread in (kept.row.thread_id, "gone")
    }
    made_old(kept.home / "data" / "snapshots")
    assert await prune_storage(kept.home) > 0
    assert list_worktrees(kept.home) == [theirs[kept.row.thread_id]]
    assert await kept.snapshots.list_changes(base, base) == []
    assert "one" in await kept.snapshots.diff(base, await kept.snapshots.take())
