"""A few rounds in the suite; `make torture-agents N=200` is the long one."""

from pathlib import Path
from random import Random

import pytest
from agents_torture import AgentsKill, play_round


@pytest.mark.parametrize(
    ("kill", "asks"),
    [
        (AgentsKill("inside the second child's command", inside_tool=True), False),
        (AgentsKill("after sub.begin", at="sub.begin:2:after"), False),
        (AgentsKill("before sub.finish", at="sub.finish:1:before"), True),
    ],
    ids=lambda value: value.kind.replace(" ", "-") if isinstance(value, AgentsKill) else "",
)
def test_what_has_finished_never_runs_again(tmp_path: Path, kill: AgentsKill, asks: bool) -> None:
    landed, faults = play_round(tmp_path / "round", [kill], Random(1), asks=asks)
    assert faults == []
    assert landed.total() == 1 or asks  # the first process may end with its questions
