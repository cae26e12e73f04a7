"""The store in its own file: opened late, private, shared by processes, salvaged."""

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest
from langgraph.store.base import GetOp, PutOp

from maxagent.config.errors import MaxAgentError
from maxagent.config.paths import locate_memory
from maxagent.memory.cards.library import CardDraft, CardLibrary
from maxagent.memory.cards.listing import read_cards
from maxagent.memory.cards.store import open_library, open_store

PROJECT = "0123456789abcdef"


async def test_unused_store_creates_no_file(tmp_path: Path) -> None:
    async with open_store(tmp_path):
        pass
    assert not (tmp_path / "data").exists()


async def test_stopped_store_leaves_no_task(tmp_path: Path) -> None:
    before = asyncio.all_tasks()
    async with open_store(tmp_path):
        assert asyncio.all_tasks() > before
    assert asyncio.all_tasks() == before


async def test_card_is_there_for_the_next_process(tmp_path: Path) -> None:
    async with open_library(tmp_path, tmp_path) as library:
        added = await library.add(CardDraft("Kept on disk"))
    async with open_library(tmp_path, tmp_path) as library:
        assert await library.list() == [added.card]
    assert locate_memory(tmp_path).stat().st_mode & 0o777 == 0o600


async def test_file_is_read_without_langgraph(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        library = CardLibrary(store, tmp_path, PROJECT)
        card = (await library.add(CardDraft("Read me", tags=("x",), paths=("a.py",)))).card
        mine = (await library.add(CardDraft("In all projects", scope="user"))).card
        assert {each.id: each for each in read_cards(tmp_path, PROJECT)} == {
            card.id: card,
            mine.id: mine,
        }
    assert read_cards(tmp_path, "f" * 16) == [mine]


async def test_reads_and_writes_of_a_batch_keep_their_order(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        ops = [PutOp(("a",), "k", {"n": 1}), GetOp(("a",), "none"), PutOp(("a",), "l", {"n": 2})]
        assert await store.abatch(ops) == [None, None, None]
        first, second = await store.abatch([GetOp(("a",), "l"), GetOp(("a",), "k")])
        assert [getattr(item, "value", None) for item in (first, second)] == [{"n": 2}, {"n": 1}]


WRITER = """
import asyncio, sys
from pathlib import Path
from maxagent.memory.cards.library import CardDraft
from maxagent.memory.cards.store import open_library

async def write(home: Path, name: str) -> None:
    async with open_library(home, home) as library:
        print("ready", flush=True)
        sys.stdin.readline()
        for number in range(10):
            await library.add(CardDraft(f"{name}{number} says {name} {number}x"), allow_near=True)
            shared = await library.add(CardDraft("Everybody says exactly this"))
            await library.mark_used([shared.card.id])

asyncio.run(write(Path(sys.argv[1]), sys.argv[2]))
"""


async def test_processes_that_write_at_once_lose_nothing(tmp_path: Path) -> None:
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", WRITER, str(tmp_path), name],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for name in ("alpha", "beta")
    ]
    for writer in writers:
        assert writer.stdout and writer.stdout.readline() == b"ready\n"
    for writer in writers:
        assert writer.stdin
        writer.stdin.write(b"\n")
        writer.stdin.flush()
    assert [await asyncio.to_thread(writer.wait) for writer in writers] == [0, 0]
    for writer in writers:
        writer.communicate()
    async with open_library(tmp_path, tmp_path) as library:
        cards = await library.list()
    shared = [card for card in cards if card.content == "Everybody says exactly this"]
    assert (len(cards), [card.uses for card in shared]) == (21, [20])


async def test_damaged_file_is_replaced_by_readable_cards(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        library = CardLibrary(store, tmp_path, PROJECT)
        for number in range(300):
            await store.aput(
                ("memory", "project", PROJECT), f"{number:04}", {"content": f"card {number} " * 9}
            )
        await store.close()
        path = locate_memory(tmp_path)
        size = path.stat().st_size
        with open(path, "r+b") as file:  # some pages in the middle
            file.seek(size // 2)
            file.write(b"\xff" * 8192)
        with pytest.raises(MaxAgentError, match="was damaged; it was moved to") as error:
            for _ in range(3):  # SQLite sees the damage when it reads those pages
                await library.list()
        assert "run the command again" in error.value.hint
        retained = await library.list()
    assert 100 < len(retained) < 300
    assert path.stat().st_mode & 0o777 == 0o600
    assert list(path.parent.glob("memory.db.corrupt-*"))


async def test_damage_found_by_a_listing_is_repaired(tmp_path: Path) -> None:
    path = locate_memory(tmp_path)
    path.write_bytes(b"no database at all" * 1000)
    with pytest.raises(MaxAgentError, match="0 cards could be read"):
        read_cards(tmp_path, PROJECT)
    assert read_cards(tmp_path, PROJECT) == []


async def test_folder_in_the_place_is_an_error(tmp_path: Path) -> None:
    path = locate_memory(tmp_path)
    path.mkdir()
    with pytest.raises(MaxAgentError):
        async with open_library(tmp_path, tmp_path) as library:
            await library.list()
