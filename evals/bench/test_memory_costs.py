"""A search costs at most twice the store's own read, and finds what is asked for."""

from pathlib import Path

from memory_costs import costs_of


async def test_search_is_fast_and_finds_enough(tmp_path: Path) -> None:
    rows = await costs_of(tmp_path / "home")
    assert [row.what for row in rows if row.missed] == []
