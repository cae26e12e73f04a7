"""The file of the store after a kill in the middle of its recovery."""

from pathlib import Path

from maxagent.config.paths import locate_memory
from maxagent.memory.cards.file_recovery import create_file
from maxagent.memory.cards.library import CardDraft
from maxagent.memory.cards.store import open_library


async def test_recovery_cut_short_is_finished(tmp_path: Path) -> None:
    async with open_library(tmp_path, tmp_path) as library:
        await library.add(CardDraft("Salvaged"))
    path = locate_memory(tmp_path)
    path.rename(path.with_name(f"{path.name}.salvaged"))  # the damaged one was moved already
    async with open_library(tmp_path, tmp_path) as library:
        assert [card.content for card in await library.list()] == ["Salvaged"]


def test_new_file_is_private_and_an_old_one_stays(tmp_path: Path) -> None:
    path = tmp_path / "memory.db"
    create_file(path)
    assert path.stat().st_mode & 0o777 == 0o600 and path.stat().st_size == 0
    path.write_bytes(b"kept")
    create_file(path)
    assert path.read_bytes() == b"kept"
