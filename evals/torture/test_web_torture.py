"""A few cuts in the suite; `make torture-web N=100` is the long one."""

from pathlib import Path
from random import Random

import pytest
from seeds import any_seed
from web_torture import CUTS, WebTrial


@pytest.mark.timeout(200)
def test_a_cut_page_loses_nothing(tmp_path: Path) -> None:
    trial = WebTrial(tmp_path / "place", Random(any_seed(7)), 0)
    trial.plan = list(dict.fromkeys(CUTS))
    assert trial.play() == []
    assert set(trial.done) == set(CUTS)
