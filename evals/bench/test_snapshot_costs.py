from pathlib import Path

from snapshot_costs import costs_of


def test_a_small_tree_is_measured_in_every_way(tmp_path: Path) -> None:
    rows = costs_of(tmp_path / "tree", 300)
    assert len(rows) == 11
    assert all(row.figure > 0 for row in rows)
