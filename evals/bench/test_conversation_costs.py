"""A conversation is kept in a few times its own bytes; `bench.py` measures a longer one."""

from pathlib import Path

from conversation_costs import SIZE, cost_of

TURNS = 40
EMPTY = 0.33
"""MB of a database with nothing in it, its index of threads too, and of pages not full."""


async def test_stored_conversation_takes_few_times_its_bytes(tmp_path: Path) -> None:
    cost = await cost_of(tmp_path / "long", TURNS)
    said = TURNS * 2 * SIZE / 1e6
    assert cost.megabytes < 4 * said + EMPTY
    assert cost.pruned < 2.5 * said + EMPTY
