import time
from typing import Any, cast

import pytest

from maxagent.nodes.run.context import Context
from maxagent.nodes.state import State
from maxagent.nodes.subagents.budget import build_limit_message, compute_deadline, compute_share
from maxagent.sdk.runs.active_runs import compute_deadline as compute_run_deadline

SPENT = {"requests": 1, "input": 1, "output": 1, "cached": 0, "cost": 0.5}


def state(**more: Any) -> State:
    return cast(State, {"request": "", "folder": "/", **more})


@pytest.mark.parametrize(
    ("more", "children", "share"),
    [
        ({}, 2, 0.0),
        ({"cost_allowed": 2.0}, 2, 1.0),
        ({"cost_allowed": 1.199924}, 2, 0.6),
        ({"cost_allowed": 2.0, "usage": SPENT}, 3, 0.5),
        ({"cost_allowed": 2.0, "usage": SPENT, "reports": {"c:0": {"usage": SPENT}}}, 1, 1.0),
        ({"cost_allowed": 2.0, "usage": {**SPENT, "cost": None}}, 1, 0.0),
        ({"cost_allowed": 0.4, "usage": SPENT}, 1, 0.0001),
    ],
)
def test_children_share_what_is_left(more: dict[str, Any], children: int, share: float) -> None:
    assert compute_share(state(**more), children) == share


FAR_AWAY = 4e9
"""A machine that has run for 126 years."""


@pytest.mark.parametrize(
    ("more", "deadline", "limit"),
    [
        ({"steps_allowed": 3, "steps": 1}, 0.0, ""),
        ({"steps_allowed": 3, "steps": 2}, 0.0, "3 model turns"),
        ({"cost_allowed": 0.6, "usage": SPENT}, 0.0, ""),
        ({"cost_allowed": 0.5, "usage": SPENT}, 0.0, "$0.50"),
        ({}, FAR_AWAY, ""),
        ({}, 1.0, "its time"),
    ],
)
def test_a_child_is_notified_at_each_limit(
    more: dict[str, Any], deadline: float, limit: str
) -> None:
    limit_message = build_limit_message(state(**more), Context(deadline=deadline))
    assert (f"reached the limit of {limit}." in limit_message) if limit else limit_message == ""


def test_a_child_has_less_time_than_the_run() -> None:
    now = time.monotonic()
    assert compute_deadline(Context()) == 0.0
    assert now + 70 < compute_deadline(Context(deadline=now + 100)) < now + 90


@pytest.mark.parametrize("hours", [-9000, -24, -1, 1, 9000])
def test_time_limit_outlives_a_changed_clock(monkeypatch: pytest.MonkeyPatch, hours: float) -> None:
    now, run_deadline = time.time, compute_run_deadline(60, 0.0)
    monkeypatch.setattr(time, "time", lambda: now() + hours * 3600)
    context = Context(deadline=run_deadline)
    assert 40 < compute_deadline(context) - time.monotonic() <= 48
    assert build_limit_message(state(), context) == ""
    ended = Context(deadline=time.monotonic())
    assert "reached the limit of its time." in build_limit_message(state(), ended)
