"""The user's old notes become cards, once."""

from pathlib import Path

import pytest
from langgraph.store.memory import InMemoryStore

from maxagent.memory.cards.library import CardLibrary
from maxagent.memory.cards.notes_import import NotesImport, import_user_notes


@pytest.fixture
def library(tmp_path: Path) -> CardLibrary:
    return CardLibrary(InMemoryStore(), tmp_path, "0" * 16)


async def contents(library: CardLibrary) -> set[str]:
    return {card.content for card in await library.list()}


async def test_each_note_becomes_a_card_once(library: CardLibrary, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("- Use tabs\n* Answer in Chinese\n- two lines\n  of one note")
    retained = tmp_path / "notes.imported.md"
    notes_before = ["Use tabs", "Answer in Chinese", "two lines\n  of one note"]
    assert await import_user_notes(library, tmp_path) == NotesImport(notes_before, retained)
    assert await contents(library) == {"Use tabs", "Answer in Chinese", "two lines\nof one note"}
    assert {(card.scope, card.type, card.source.by) for card in await library.list()} == {
        ("user", "preference", "user")
    }
    assert not notes.exists() and retained.stat().st_mode & 0o777 == 0o600
    assert "- Answer in Chinese\n" in retained.read_text()
    assert await import_user_notes(library, tmp_path) == NotesImport()


async def test_what_can_be_no_card_stays_in_the_file(library: CardLibrary, tmp_path: Path) -> None:
    notes = tmp_path / "notes.md"
    refused = "- " + "x" * 600
    notes.write_text(f"# My rules\n\nBe kind.\n\n- Use tabs\n{refused}\n")
    assert (await import_user_notes(library, tmp_path)).notes == ["Use tabs"]
    assert notes.read_text() == f"# My rules\n\nBe kind.\n\n{refused}\n"
    assert await import_user_notes(library, tmp_path) == NotesImport()
    assert notes.read_text().endswith(f"{refused}\n") and await contents(library) == {"Use tabs"}


async def test_import_cut_short_is_finished_by_the_next(
    library: CardLibrary, tmp_path: Path
) -> None:
    notes = tmp_path / "notes.md"
    notes.write_text("- Use tabs\n- Use spaces in YAML\n")
    await import_user_notes(library, tmp_path)
    notes.write_text("- Use tabs\n- Use spaces in YAML\n")  # as if killed before the file changed
    await import_user_notes(library, tmp_path)
    assert len(await library.list()) == 2 and not notes.exists()
