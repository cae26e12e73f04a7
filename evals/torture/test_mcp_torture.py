"""A few rounds in the suite; `make torture-mcp N=200` is the long one."""

from pathlib import Path

import pytest
from mcp_torture import McpKill, play_round


@pytest.mark.parametrize(
    "kill",
    [
        McpKill("MaxAgent after send", at="send:1:after"),
        McpKill("MaxAgent after ask", at="ask:1:after"),
        McpKill("the server after an effect", server="after"),
        McpKill("MaxAgent while the server works", after_effect=1),
    ],
    ids=lambda kill: kill.kind.replace(" ", "-"),
)
def test_a_killed_call_never_runs_twice(tmp_path: Path, kill: McpKill) -> None:
    assert play_round(tmp_path / "round", kill) == []
