"""Cards as a light command reads and purges them."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from maxagent.config.errors import MaxAgentError
from maxagent.config.paths import locate_memory
from maxagent.memory.cards.library import CardDraft, CardLibrary
from maxagent.memory.cards.listing import purge_cards, read_cards
from maxagent.memory.cards.store import open_store

HERE, THERE = "0" * 16, "1" * 16


async def add_cards(home: Path) -> None:
    async with open_store(home) as store:
        here, there = CardLibrary(store, home, HERE), CardLibrary(store, home, THERE)
        await here.add(CardDraft("Of the user", scope="user"))
        await here.add(CardDraft("Of this project"))
        await here.add(CardDraft("A note", scope="notes", tags=("general",)))
        await there.add(CardDraft("Of the other project"))


def test_home_without_memory_has_no_cards(tmp_path: Path) -> None:
    assert read_cards(tmp_path, HERE) == [] and purge_cards(tmp_path) == 0
    assert not locate_memory(tmp_path).exists()
    locate_memory(tmp_path).touch()
    assert read_cards(tmp_path, HERE) == [] and purge_cards(tmp_path) == 0


async def test_link_is_followed(tmp_path: Path) -> None:
    await add_cards(tmp_path)
    async with open_store(tmp_path) as store:
        await CardLibrary(store, tmp_path, HERE).link(THERE)
    assert read_cards(tmp_path, HERE) == read_cards(tmp_path, THERE)
    assert len(read_cards(tmp_path, HERE)) == 4


async def test_purge_deletes_only_what_is_asked(tmp_path: Path) -> None:
    await add_cards(tmp_path)
    assert purge_cards(tmp_path, HERE) == 2
    assert [card.content for card in read_cards(tmp_path, HERE)] == ["Of the user"]
    assert len(read_cards(tmp_path, THERE)) == 2
    assert purge_cards(tmp_path) == 2
    assert read_cards(tmp_path, THERE) == []


async def test_rows_that_are_no_cards_are_left_out(tmp_path: Path) -> None:
    await add_cards(tmp_path)
    with closing(sqlite3.connect(locate_memory(tmp_path))) as opened:
        for number, value in enumerate(("no json", "[]", "{}", '{"content": 3}')):
            row = (f"memory.project.{HERE}", f"bad{number}", value)
            opened.execute("INSERT INTO store (prefix, key, value) VALUES (?, ?, ?)", row)
        opened.commit()
    assert len(read_cards(tmp_path, HERE)) == 3


async def test_locked_file_is_an_error_with_a_hint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await add_cards(tmp_path)
    monkeypatch.setattr("maxagent.memory.database.connection.SETTINGS", ("busy_timeout = 1",))
    with closing(sqlite3.connect(locate_memory(tmp_path), isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        with pytest.raises(MaxAgentError, match="another process keeps it locked") as error:
            purge_cards(tmp_path)
    assert error.value.hint
