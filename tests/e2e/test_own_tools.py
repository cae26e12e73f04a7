"""A program's own tools, killed at many moments: no effect comes twice, or the model is told."""

import json
import os
import signal
from pathlib import Path

import pytest
from warm_start import run_python

from maxagent import trust

PROGRAM = Path(__file__).with_name("own_tool_program.py")
ITEMS = ("bolts", "nuts", "pins")
MOMENTS = [
    *(f"line:{number}:{side}" for number in range(1, 7) for side in ("before", "after")),
    *("journal.begin:1:before", "journal.begin:3:after", "tool:1:before", "tool:2:after"),
    *("journal.finish:1:before", "journal.finish:2:after", "snapshot:3:before", "record:1:after"),
    *("aput:2:before", "aput:4:after", "aput_writes:3:before", "commit:9:after"),
]


@pytest.mark.parametrize("moment", MOMENTS)
def test_killed_tool_acts_once_or_is_reported(tmp_path: Path, moment: str) -> None:
    home, project, script = (tmp_path / name for name in ("home", "project", "script.json"))
    project.mkdir()
    trust(project, home)
    calls = [{"name": f"order_{item}", "args": {"pieces": 5}} for item in ITEMS]
    script.write_text(json.dumps([*({"tool_calls": [call]} for call in calls), {"text": "Done."}]))
    argv = [str(PROGRAM), str(home), str(project), str(script)]
    killed = run_python(argv, project, {**os.environ, "KILL_AT": moment})
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    ended = run_python(argv, project, {**os.environ})
    assert ended.returncode == 0, ended.stderr
    told = json.loads(ended.stdout)
    log = (tmp_path / "log.txt").read_text().splitlines()
    assert told["text"] == "Done." and len(log) == len(set(log))
    for item in ITEMS:
        answer = told["answers"][f"order_{item}"]
        is_unknown = "Outcome unknown" in answer
        assert is_unknown or answer == f"5 {item} ordered"
        assert is_unknown or {f"{item} begin", f"{item} end"} <= {*log}
