import json
from pathlib import Path
from typing import Any

import pytest
from harbor_limits import keep_back, read_time_limit

LIMIT = "[agent]\ntimeout_sec = 600.0\n"
STEPS = LIMIT + "[[steps]]\nname = 'a'\n[steps.agent]\ntimeout_sec = 200.0\n"


@pytest.mark.parametrize(
    ("config", "task", "limit"),
    [
        ({}, LIMIT, 600),
        ({}, "", None),
        ({"agent": {"override_timeout_sec": 90}}, LIMIT, 90),
        ({"agent": {"override_timeout_sec": 90}}, "", 90),
        ({"agent": {"max_timeout_sec": 300}}, LIMIT, 300),
        ({"timeout_multiplier": 2}, LIMIT, 1200),
        ({"timeout_multiplier": 2, "agent_timeout_multiplier": 0.5}, LIMIT, 300),
        ({"agent": None, "agent_timeout_multiplier": None}, LIMIT, 600),
        ({}, STEPS, 200),
    ],
)
def test_the_limit_is_harbors(
    config: dict[str, Any], task: str, limit: float | None, tmp_path: Path
) -> None:
    folder = tmp_path / "task"
    folder.mkdir()
    (folder / "task.toml").write_text(task)
    config = {"task": {"path": str(folder)}, **config}
    (tmp_path / "config.json").write_text(json.dumps(config))
    assert read_time_limit(tmp_path, lambda task: Path(task["path"])) == limit


@pytest.mark.parametrize(
    ("limit", "seconds"), [(10, 5), (30, 20), (600, 570), (3600, 3540), (36000, 35940)]
)
def test_time_is_kept_back(limit: float, seconds: float) -> None:
    assert keep_back(limit) == seconds
