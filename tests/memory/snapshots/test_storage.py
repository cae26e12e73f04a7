import asyncio
import shutil
import threading
from pathlib import Path

from maxagent.memory.snapshots.storage import (
    folder_of,
    note_folder,
    short_digest,
    store_directory,
    store_lock,
    write_whole,
)


def test_a_folder_finds_its_store_again_and_no_other(tmp_path: Path) -> None:
    one, two = (store_directory(tmp_path / name, tmp_path / "data") for name in "ab")
    assert one == store_directory(tmp_path / "a", tmp_path / "data") != two
    assert one.parent == tmp_path / "data"
    assert short_digest("ab", "c") != short_digest("a", "bc")


def test_a_store_says_whose_it_is(tmp_path: Path) -> None:
    odd = tmp_path / "odd \n \udcff"
    assert folder_of(tmp_path / "store") is None
    note_folder(tmp_path / "store", odd)
    assert folder_of(tmp_path / "store") == odd
    assert oct((tmp_path / "store").stat().st_mode & 0o777) == "0o700"


def test_a_file_that_says_it_already_is_not_written(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_whole(path, b"1")
    before = path.stat()
    write_whole(path, b"1")
    assert path.stat() == before
    write_whole(path, b"2")
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"2", [path])


async def test_one_who_waits_while_the_store_is_removed_gets_a_new_one(tmp_path: Path) -> None:
    store = tmp_path / "data" / "store"
    waiting = asyncio.Event()

    async def wait() -> bool:
        waiting.set()
        async with store_lock(store):
            return (store / "lock").exists()

    async with store_lock(store):
        waiter = asyncio.create_task(wait())
        await waiting.wait()
        await asyncio.sleep(0)
        shutil.rmtree(store)
    assert await waiter


async def test_the_store_is_held_although_another_removes_it_again_and_again(
    tmp_path: Path,
) -> None:
    store, done = tmp_path / "data" / "store", threading.Event()

    def remove() -> None:
        while not done.is_set():
            shutil.rmtree(store, ignore_errors=True)

    remover = threading.Thread(target=remove)
    remover.start()
    try:
        for _ in range(200):
            async with store_lock(store) as lock:
                assert lock
    finally:
        done.set()
        remover.join()
