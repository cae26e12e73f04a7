import asyncio
import shutil
import threading
from pathlib import Path

from maxagent.memory.snapshots.storage import (
    get_store_directory,
    hash_texts,
    lock_store,
    note_folder,
    read_folder,
    write_atomically,
)


def test_folder_finds_only_its_own_store(tmp_path: Path) -> None:
    item, two = (get_store_directory(tmp_path / name, tmp_path / "data") for name in "ab")
    assert item == get_store_directory(tmp_path / "a", tmp_path / "data") != two
    assert item.parent == tmp_path / "data"
    assert hash_texts("ab", "c") != hash_texts("a", "bc")


def test_a_store_says_whose_it_is(tmp_path: Path) -> None:
    odd = tmp_path / "odd \n \udcff"
    assert read_folder(tmp_path / "store") is None
    note_folder(tmp_path / "store", odd)
    assert read_folder(tmp_path / "store") == odd
    assert oct((tmp_path / "store").stat().st_mode & 0o777) == "0o700"


def test_write_atomically_skips_unchanged_file(tmp_path: Path) -> None:
    path = tmp_path / "x"
    write_atomically(path, b"1")
    before = path.stat()
    write_atomically(path, b"1")
    assert path.stat() == before
    write_atomically(path, b"2")
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (b"2", [path])


async def test_waiter_on_removed_store_gets_new_one(tmp_path: Path) -> None:
    store = tmp_path / "data" / "store"
    waiting = asyncio.Event()

    async def wait() -> bool:
        waiting.set()
        async with lock_store(store):
            return (store / "lock").exists()

    async with lock_store(store):
        waiter = asyncio.create_task(wait())
        await waiting.wait()
        await asyncio.sleep(0)
        shutil.rmtree(store)
    assert await waiter


async def test_store_lock_survives_repeated_removal(
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
            async with lock_store(store) as lock:
                assert lock
    finally:
        done.set()
        remover.join()
