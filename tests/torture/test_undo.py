from pathlib import Path

import pytest
from seeds import any_seed
from undo import torture


@pytest.mark.parametrize("seed", [1, 2, any_seed(3)], ids=["1", "2", "random"])
def test_no_history_loses_anything_that_the_user_wrote(seed: int, tmp_path: Path) -> None:
    print(f"seed {seed}")
    faults, tally = torture(2, seed, tmp_path)
    assert (faults, tally["histories"]) == ([], 2), f"seed {seed}"
