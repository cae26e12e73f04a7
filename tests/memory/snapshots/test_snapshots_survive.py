"""What others do to the files or the store meanwhile, and what a kill leaves of it."""

import asyncio
import shutil
import signal
import subprocess
import sys
from glob import glob
from pathlib import Path

import pytest
from snapshot_project import SENSITIVE, kinds, put_all_back

from maxagent.config.errors import MaxAgentError
from maxagent.memory.snapshots.git_backend import EMPTY_TREE
from maxagent.memory.snapshots.store import Snapshots


async def test_leftovers_of_killed_git_do_not_stop_snapshot(
    snapshots: Snapshots, folder: Path, tmp_path: Path
) -> None:
    first = await snapshots.take()
    (store,) = (tmp_path / "data" / "snapshots").iterdir()
    (index,) = store.glob("index-*")
    Path(f"{index}.lock").write_text("")
    (folder / "a.py").write_text("a = 2\n")
    second = await snapshots.take()
    assert second != first
    index.write_bytes(bytes(100))
    assert await snapshots.take() == second


async def test_a_lost_snapshot_is_reported(snapshots: Snapshots, folder: Path) -> None:
    tree = await snapshots.take()
    with pytest.raises(MaxAgentError, match="are lost"):
        await snapshots.list_changes("1" * 40, tree)


async def test_a_lost_content_is_reported(
    snapshots: Snapshots, folder: Path, tmp_path: Path
) -> None:
    old = await snapshots.take()
    (folder / "a.py").write_text("a = 2\n")
    (folder / "sub" / "b.txt").write_text("B\n")
    new = await snapshots.take()
    (store,) = (tmp_path / "data" / "snapshots").iterdir()
    blob = subprocess.run(
        ["git", "hash-object", "--stdin"], input=b"b\n", capture_output=True, check=True
    ).stdout.decode()
    (store / "objects" / blob[:2] / blob[2:].strip()).unlink()
    with pytest.raises(MaxAgentError, match="lost a file's content"):
        await put_all_back(snapshots, old, new)
    assert (folder / "a.py").read_text() == "a = 2\n"


async def test_a_folder_that_is_gone_is_reported(snapshots: Snapshots, folder: Path) -> None:
    await snapshots.take()
    shutil.rmtree(folder)
    with pytest.raises(MaxAgentError, match="cannot run git in"):
        await snapshots.take()


TAKE = """
import asyncio, sys
from pathlib import Path
from maxagent.memory.snapshots.store import Snapshots
async def main():
    snapshots = Snapshots(Path(sys.argv[1]), Path(sys.argv[2]), [])
    for n in range(8):
        (Path(sys.argv[1]) / f"{sys.argv[3]}.txt").write_text(str(n))
        tree = await snapshots.take()
    print(tree)
asyncio.run(main())
"""


async def test_processes_may_snapshot_one_folder_at_once(folder: Path, tmp_path: Path) -> None:
    store = tmp_path / "data" / "snapshots"
    children = [
        subprocess.Popen(
            [sys.executable, "-c", TAKE, str(folder), str(store), str(number)],
            stdout=subprocess.PIPE,
        )
        for number in range(3)
    ]
    trees = {child.communicate()[0].decode().strip() for child in children}
    assert [child.returncode for child in children] == [0, 0, 0]
    last = await Snapshots(folder, store, []).take()
    assert last in trees


CHURN = """
import sys, shutil
from pathlib import Path
print("begun", flush=True)
while True:
    for n in range(60):
        below = Path(sys.argv[1]) / f"d{n % 7}"
        below.mkdir(exist_ok=True)
        (below / f"f{n}").write_text(str(n) * 100)
    shutil.rmtree(sys.argv[1] + "/d3")
    for below in Path(sys.argv[1]).iterdir():
        (below / "f1").unlink(missing_ok=True)
"""


async def test_files_may_come_and_go_meanwhile(snapshots: Snapshots, folder: Path) -> None:
    (folder / "churn").mkdir()
    command = [sys.executable, "-c", CHURN, str(folder / "churn")]
    child = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        assert child.stdout and child.stdout.readline() == b"begun\n"
        trees = {await snapshots.take() for _ in range(25)}
        assert child.poll() is None
    finally:
        child.kill()
        child.communicate()
    assert len(trees) > 1
    assert (
        kinds(await snapshots.list_changes(EMPTY_TREE, await snapshots.take()))["a.py"] == "added"
    )


@pytest.mark.parametrize("files", [100, 400])
async def test_a_killed_process_leaves_a_store_that_works(
    files: int, folder: Path, tmp_path: Path
) -> None:
    """With few new files git writes one object for each, with many a pack."""
    store = tmp_path / "data" / "snapshots"
    for n in range(files):
        (folder / f"f{n}").write_text(f"{n}\n" * 200)
    for _ in range(5):
        command = [sys.executable, "-c", TAKE, str(folder), str(store), "x"]
        child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        # `Path.glob` fails where git takes a folder away meanwhile
        while not glob(f"{store}/*/objects/*/*") and child.poll() is None:
            await asyncio.sleep(0.001)
        child.send_signal(signal.SIGKILL)
        child.wait()
        snapshots = Snapshots(folder, store, [])
        old = await snapshots.take()
        (folder / "f1").write_text("changed")
        assert await put_all_back(snapshots, old, await snapshots.take()) == {}
        assert (folder / "f1").read_text() == "1\n" * 200
        shutil.rmtree(store)


async def test_index_without_objects_is_rebuilt(snapshots: Snapshots, folder: Path) -> None:
    first = await snapshots.take()
    for missing in snapshots.directory.glob("objects/??"):
        shutil.rmtree(missing)
    again = Snapshots(folder, snapshots.directory.parent, SENSITIVE)
    assert await again.take() == first
    (folder / "a.py").write_text("a = 2\n")
    assert await put_all_back(again, first, await again.take()) == {}
    assert (folder / "a.py").read_text() == "a = 1\n"
