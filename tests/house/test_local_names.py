"""Which names inside modules say nothing."""

from pathlib import Path

import pytest
from local_names import find_vague_names


@pytest.mark.parametrize(
    ("source", "names"),
    [
        ("found = 1\nrules = [one for one in found]\n", ["found", "one"]),
        ("def find(given: int, rule: str) -> None: ...\n", ["given"]),
        ("LONGEST_LINE = 1\n_MANY = 2\nMAX_LINES = 3\n", ["LONGEST_LINE", "_MANY"]),
        ("x.found = 1\nfound_rules = 2\nprint(kept)\n", []),
    ],
)
def test_vague_names_are_found(source: str, names: list[str], tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(source, encoding="utf-8")
    assert sorted(line.split()[-1] for line in find_vague_names(module)) == sorted(names)
