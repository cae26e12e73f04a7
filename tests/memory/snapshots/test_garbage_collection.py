import asyncio
import os
import subprocess
import sys
from pathlib import Path

import pytest

from maxagent.memory.snapshots.garbage_collection import (
    RECENT,
    measure_stores,
    prune_store,
    remove_unused_stores,
)
from maxagent.memory.snapshots.storage import get_store_directory
from maxagent.memory.snapshots.store import Snapshots


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "same.txt").write_text("same\n")
    return folder


@pytest.fixture
def stores(tmp_path: Path) -> Path:
    return tmp_path / "data" / "snapshots"


@pytest.fixture(params=["git", "no git"])
def snapshots(
    folder: Path, stores: Path, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Snapshots:
    if request.param == "no git":
        monkeypatch.setenv("PATH", "/nowhere")
    return Snapshots(folder, stores, [])


def age(store: Path) -> None:
    """Make everything in the store as old as if it was of the day before."""
    for path in store.rglob("*"):
        then = path.stat().st_mtime - 2 * RECENT
        os.utime(path, (then, then))


async def versions(snapshots: Snapshots, count: int) -> list[str]:
    trees = list[str]()
    for number in range(count):
        data = os.urandom(50_000)
        (snapshots.folder / "big.bin").write_bytes(data + bytes([number]))
        trees.append(await snapshots.take(named_files=["big.bin", "sub/same.txt"]))
    return trees


async def test_prune_frees_unneeded_keeps_rest_readable(
    snapshots: Snapshots,
) -> None:
    trees = await versions(snapshots, 6)
    missing, tree = await snapshots.list_changes(trees[2], trees[3]), trees[1]
    single = missing[0].new.blob
    content = (await snapshots.read_blobs([single]))[single]
    age(snapshots.directory)
    freed = await prune_store(snapshots.directory, [tree, single])
    assert 3 * 50_000 <= freed < 5 * 50_000
    assert (await snapshots.read_blobs([single]))[single] == content
    (change,) = await snapshots.list_changes(tree, await snapshots.take())
    assert change.path == "big.bin"
    assert len((await snapshots.read_blobs([change.old.blob]))[change.old.blob]) == 50_001
    with pytest.raises(Exception, match="lost|bad object|unable to read"):
        await snapshots.list_changes(trees[0], tree)


async def test_what_is_young_stays(snapshots: Snapshots) -> None:
    first, *_ = await versions(snapshots, 3)
    age(snapshots.directory)
    young = await snapshots.write_blob(b"about to be named in a history")
    assert await prune_store(snapshots.directory, []) > 0
    assert await snapshots.read_blobs([young])
    with pytest.raises(Exception, match="lost|bad object|unable to read"):
        await snapshots.list_changes(first, await snapshots.take())


async def test_the_folder_as_it_was_seen_last_stays(folder: Path, stores: Path) -> None:
    snapshots = Snapshots(folder, stores, [])
    *_, last = await versions(snapshots, 3)
    for _ in range(2):
        age(snapshots.directory)
        await prune_store(snapshots.directory, [])
    (folder / "new").write_text("new")
    again = Snapshots(folder, stores, [])
    assert [change.path for change in await again.list_changes(last, await again.take())] == ["new"]


async def test_names_that_are_lost_already_are_no_obstacle(snapshots: Snapshots) -> None:
    trees = await versions(snapshots, 2)
    assert await prune_store(snapshots.directory, ["1" * 40, trees[0]]) >= 0
    assert await snapshots.list_changes(*trees)


async def test_nothing_to_prune_is_no_fault(stores: Path, tmp_path: Path) -> None:
    assert await prune_store(get_store_directory(tmp_path, stores), []) == 0
    assert not stores.exists()
    assert measure_stores(stores) == {}
    assert await remove_unused_stores(stores, list) == 0


async def test_measure_by_folder_and_remove_unused_stores(
    snapshots: Snapshots, stores: Path, tmp_path: Path
) -> None:
    other = tmp_path / "odd \n name"
    other.mkdir()
    await Snapshots(other, stores, []).take()
    await versions(snapshots, 2)
    size = measure_stores(stores)
    assert size.keys() == {snapshots.folder, other}
    assert size[snapshots.folder] > 100_000 > size[other] > 0
    keep = {get_store_directory(other, stores)}
    assert await remove_unused_stores(stores, lambda: keep) == size[snapshots.folder]
    assert measure_stores(stores).keys() == {other}
    tree = await snapshots.take()
    assert await snapshots.take() == tree
    assert measure_stores(stores)[snapshots.folder] > 0


async def test_a_thread_that_begins_meanwhile_keeps_its_store(
    snapshots: Snapshots, stores: Path
) -> None:
    tree, asked = await snapshots.take(named_files=["sub/same.txt"]), list[int]()

    def needed() -> list[Path]:
        asked.append(1)
        return [snapshots.directory] if len(asked) > 1 else []

    assert await remove_unused_stores(stores, needed) == 0
    assert len(asked) == 2
    assert await snapshots.take() == tree


async def test_a_pack_whose_content_was_stored_again_stays(folder: Path, stores: Path) -> None:
    snapshots = Snapshots(folder, stores, [])
    await snapshots.take()
    blob = await snapshots.write_blob(b"once\n")
    await prune_store(snapshots.directory, [blob])
    age(snapshots.directory)
    assert list((snapshots.directory / "objects" / "pack").glob("*.idx"))
    assert not (snapshots.directory / "objects" / blob[:2] / blob[2:]).exists()
    assert await snapshots.write_blob(b"once\n") == blob
    await prune_store(snapshots.directory, [])
    assert await snapshots.read_blobs([blob]) == {blob: b"once\n"}


STEPS = """
import asyncio, sys
from pathlib import Path
from maxagent.memory.snapshots.store import Snapshots
async def main():
    folder = Path(sys.argv[1])
    snapshots = Snapshots(folder, Path(sys.argv[2]), [])
    old = await snapshots.take()
    for number in range(12):
        (folder / "x").write_text(str(number) * 1000)
        new = await snapshots.take()
        assert [change.path for change in await snapshots.list_changes(old, new)] == ["x"]
        old = new
asyncio.run(main())
"""


async def test_another_process_takes_snapshots_meanwhile(folder: Path, stores: Path) -> None:
    command = [sys.executable, "-c", STEPS, str(folder), str(stores)]
    child = subprocess.Popen(command)
    snapshots = Snapshots(folder, stores, [])
    while child.poll() is None:
        await prune_store(snapshots.directory, [])
        await asyncio.sleep(0)
    assert child.returncode == 0
