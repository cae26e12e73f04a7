"""A small round; `make torture-service` is the long one."""

from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest

if find_spec("uvicorn") is None or find_spec("starlette") is None:
    pytest.skip("langgraph-cli[inmem] is not installed", allow_module_level=True)

from service_torture import ServiceRound, play_round


def test_killed_service_mixes_no_runs(tmp_path: Path) -> None:
    plan = ServiceRound(users=4, seconds=4, kills=1)
    done, faults, _ = play_round(tmp_path / "round", plan, Random(3))
    assert faults == [] and done["turns"] >= 4
