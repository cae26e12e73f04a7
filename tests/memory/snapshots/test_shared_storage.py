"""Snapshots of a thread in a repository that two machines share."""

import os
import shutil
from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path

import pytest
from snapshot_project import contents, git

from maxagent.config.errors import MaxAgentError, UsageError
from maxagent.memory.snapshots.garbage_collection import prune_store
from maxagent.memory.snapshots.git_objects import write_object
from maxagent.memory.snapshots.shared_storage import delete_shared, hide_password
from maxagent.memory.snapshots.store import Snapshots


class Machine:
    """A folder, and a home with its stores."""

    def __init__(self, folder: Path, storage: str) -> None:
        self.folder, self.outputs = folder / "project", folder / "data/outputs/t"
        self.folder.mkdir(parents=True)
        self._storage = storage
        self.open_snapshots()

    def open_snapshots(self) -> None:
        store = self.folder.parent / "data/snapshots"
        self.snapshots = Snapshots(self.folder, store, (), self._storage)

    async def share(self, content: str) -> str:
        (self.folder / "a.txt").write_text(content)
        tree = await self.snapshots.take()
        await self.snapshots.share("t", tree, self.outputs)
        return tree


@pytest.fixture
def machines(tmp_path: Path) -> tuple[Machine, Machine]:
    here, there = (Machine(tmp_path / name, str(tmp_path / "storage")) for name in "ab")
    return here, there


def count_commits(tmp_path: Path) -> int:
    return int(git(tmp_path / "storage/threads.git", "rev-list", "--count", "refs/maxagent/t"))


async def test_older_snapshots_are_fetched_too(machines: tuple[Machine, Machine]) -> None:
    here, there = machines
    old, new = await here.share("one\n"), await here.share("two\n")
    tree, _ = await there.snapshots.fetch("t", there.outputs)
    assert tree == new
    changes = await there.snapshots.list_changes(old, new)
    blobs = await there.snapshots.read_blobs([changes[0].old.blob, changes[0].new.blob])
    assert [*blobs.values()] == [b"one\n", b"two\n"]


async def test_outputs_come_along(machines: tuple[Machine, Machine]) -> None:
    here, there = machines
    (here.outputs / "deep").mkdir(parents=True)
    (here.outputs / "call.txt").write_bytes(b"all of it \xff\n")
    (here.outputs / "deep/b.txt").write_text("b")
    await here.share("one\n")
    await there.snapshots.fetch("t", there.outputs)
    assert contents(there.outputs) == contents(here.outputs)


def write_tree(repository: Path, *entries: tuple[str, str, str]) -> str:
    """A tree of any names: `git mktree` accepts no slash in one."""
    content = b"".join(
        f"{mode} {name}\0".encode() + bytes.fromhex(item) for mode, name, item in entries
    )
    return write_object(repository / "objects", "tree", content)


def write_path(repository: Path, path: str, blob: str) -> str:
    tree, names = blob, path.split("|")
    for name in reversed(names):
        mode = "100644" if tree == blob else "40000"
        tree = write_tree(repository, (mode, name, tree))
    return tree


@pytest.mark.parametrize(
    "path",
    [
        "..|x",
        "..|..|..|x",
        "deep|..|..|x",
        "../x",
        "{there}/x",
        "/{there}/x",
        "call/../../x",
        ".git|config",
        ".GIT|hooks|x",
        ".",
        "..",
        "link|x",
    ],
)
async def test_outputs_stay_in_their_folder(
    path: str, machines: tuple[Machine, Machine], tmp_path: Path
) -> None:
    here, there = machines
    await here.share("one\n")
    repository = tmp_path / "storage/threads.git"
    blob = write_object(repository / "objects", "blob", b"of somebody else\n")
    outputs = write_path(repository, path.format(there=tmp_path), blob)
    files = git(repository, "rev-parse", "refs/maxagent/t:files").strip()
    root = write_tree(repository, ("40000", "files", files), ("40000", "outputs", outputs))
    commit = git(repository, "commit-tree", "-m", "x", root).strip()
    git(repository, "update-ref", "refs/maxagent/t", commit)
    there.outputs.mkdir(parents=True)
    (there.outputs / "link").symlink_to(tmp_path)
    before = contents(tmp_path / "b")
    with pytest.raises(MaxAgentError, match="outside its folder") as raised:
        await there.snapshots.fetch("t", there.outputs)
    assert raised.value.hint
    assert [*tmp_path.rglob("x"), *tmp_path.rglob("hooks")] == []
    written = contents(tmp_path / "b").keys() - before.keys()
    assert {name for name in written if not name.startswith("data/snapshots/")} == set()


async def test_same_files_are_pushed_once(
    machines: tuple[Machine, Machine], tmp_path: Path
) -> None:
    here, _ = machines
    for _ in range(3):
        await here.share("one\n")
    assert count_commits(tmp_path) == 1


async def test_nothing_new_is_nothing(machines: tuple[Machine, Machine]) -> None:
    here, there = machines
    assert await there.snapshots.fetch("t", there.outputs) == ("", "")
    await here.share("one\n")
    _, commit = await there.snapshots.fetch("t", there.outputs)
    await there.snapshots.record_fetched("t", commit)
    assert await there.snapshots.fetch("t", there.outputs) == ("", "")


async def test_two_that_push_lose_nothing(
    machines: tuple[Machine, Machine], tmp_path: Path
) -> None:
    here, there = machines
    for number in range(3):
        await here.share(f"here {number}\n")
        await there.share(f"there {number}\n")
    blobs = git(tmp_path / "storage/threads.git", "rev-list", "--objects", "refs/maxagent/t")
    assert blobs.count("files/a.txt") == 6


async def test_pruned_store_fetches_again(machines: tuple[Machine, Machine]) -> None:
    here, there = machines
    await here.share("one\n")
    _, commit = await there.snapshots.fetch("t", there.outputs)
    await there.snapshots.record_fetched("t", commit)
    for file in (there.snapshots.directory / "objects").glob("*/*"):
        file.unlink()
    new = await here.share("two\n")
    tree, _ = await there.snapshots.fetch("t", there.outputs)
    assert tree == new
    assert await there.snapshots.list_changes(new, new) == []


async def prune(machine: Machine, keep: Sequence[str] = ()) -> None:
    """What `threads prune` does an hour later."""
    objects = machine.snapshots.directory / "objects"
    for path in [*objects.rglob("*")]:
        os.utime(path, (0, 0))
    await prune_store(machine.snapshots.directory, keep)


async def lose_commits(machine: Machine) -> None:
    await prune(machine, [await machine.snapshots.take()])


async def lose_last_commit(machine: Machine) -> None:
    name = (machine.snapshots.directory / "shared/t").read_text()
    (machine.snapshots.directory / "objects" / name[:2] / name[2:]).unlink()


async def lose_older_commits(machine: Machine) -> None:
    keep = (machine.snapshots.directory / "shared/t").read_text()
    for path in (machine.snapshots.directory / "objects").glob("??/*"):
        if path.parent.name + path.name != keep:
            path.unlink()


async def lose_all(machine: Machine) -> None:
    for path in (machine.snapshots.directory / "objects").glob("*/*"):
        path.unlink()


async def lose_storage(machine: Machine) -> None:
    await prune(machine)
    shutil.rmtree(machine.folder.parent.parent / "storage")


async def lose_storage_and_older(machine: Machine) -> None:
    await lose_older_commits(machine)
    shutil.rmtree(machine.folder.parent.parent / "storage")


@pytest.mark.parametrize("is_new_process", [False, True])
@pytest.mark.parametrize(
    "lose",
    [
        prune,
        lose_commits,
        lose_last_commit,
        lose_older_commits,
        lose_all,
        lose_storage,
        lose_storage_and_older,
    ],
)
async def test_thread_is_shared_after_pruning(
    lose: Callable[[Machine], Awaitable[None]],
    is_new_process: bool,
    machines: tuple[Machine, Machine],
) -> None:
    here, there = machines
    here.outputs.mkdir(parents=True)
    (here.outputs / "call.txt").write_text("all of it\n")
    for content in ("one\n", "two\n"):
        await here.share(content)
    await lose(here)
    if is_new_process:
        here.open_snapshots()
    assert await here.snapshots.fetch("t", here.outputs) == ("", "")
    new = await here.share("three\n")
    tree, _ = await there.snapshots.fetch("t", there.outputs)
    assert tree == new
    assert contents(there.outputs) == contents(here.outputs)


async def test_delete_leaves_other_threads(
    machines: tuple[Machine, Machine], tmp_path: Path
) -> None:
    here, _ = machines
    tree = await here.share("one\n")
    await here.snapshots.share("other", tree, here.outputs)
    for _ in range(2):
        delete_shared(str(tmp_path / "storage"), "t")
    names = git(tmp_path / "storage/threads.git", "for-each-ref", "--format=%(refname)")
    assert names.split() == ["refs/maxagent/other"]


@pytest.mark.parametrize(
    "address", ["relative", "https://127.0.0.1:9/x.git", "file:///nowhere/x.git", "/dev/null/x"]
)
async def test_wrong_place_stops_with_a_sentence(address: str, tmp_path: Path) -> None:
    machine = Machine(tmp_path / "a", address)
    with pytest.raises(MaxAgentError, match="`storage`") as raised:
        await machine.share("one\n")
    assert raised.value.hint


async def test_address_with_password_is_not_used(tmp_path: Path) -> None:
    machine = Machine(tmp_path / "a", "https://me:secret@127.0.0.1:9/x.git")
    with pytest.raises(UsageError, match="has a password"):
        await machine.share("one\n")


@pytest.mark.parametrize(
    "address, expected",
    [
        ("https://me:secret@git.example/x.git", "https://git.example/x.git"),
        ("https://git.example/x@y.git", "https://git.example/x@y.git"),
        ("ssh://git@host/x", "ssh://host/x"),
        ("git@host:x.git", "git@host:x.git"),
        ("/srv/threads", "/srv/threads"),
    ],
)
def test_a_password_is_hidden(address: str, expected: str) -> None:
    assert hide_password(address) == expected
