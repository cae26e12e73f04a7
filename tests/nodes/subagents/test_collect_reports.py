from typing import Any, cast

import pytest

from maxagent.nodes.children.task import merge_reports
from maxagent.nodes.run.context import Context
from maxagent.nodes.state import State
from maxagent.nodes.subagents.collect_reports import collect_reports

USAGE = {"requests": 1, "input": 10, "output": 1, "cached": 0, "cost": 0.1, "seconds": 1.0}


def report(call: str, position: int, count: int, **more: Any) -> dict[str, Any]:
    own = {
        "call_id": call, "notice": "", "position": position, "count": count,
        "sub_id": f"explore-{position + 1}", "status": "done", "text": f"report {position}",
        "files": [], "usage": USAGE, "allowed": [], "tree": "", "file_entry": 0, "proven": True,
    }  # fmt: skip
    return {f"{call}:{position}": {**own, **more}}


class Quiet:
    """A runtime that takes events."""

    context = Context()

    def __init__(self) -> None:
        self.events: list[Any] = []
        self.stream_writer = self.events.append


async def collect(state: dict[str, Any]) -> Any:
    texts = cast(State, {"request": "", "folder": "/", "role": "build", **state})
    return await collect_reports(texts, cast(Any, Quiet()))


async def test_a_call_is_answered_when_all_have_reported() -> None:
    reports = {**report("a", 1, 2), **report("a", 0, 2), **report("b", 0, 2)}
    command = await collect({"reports": reports, "queue": [[]]})
    (answer,) = command.update["messages"]
    assert (answer.tool_call_id, answer.text) == ("a", "report 0\n\nreport 1")
    assert command.update["reports"] == {"a:0": None, "a:1": None}
    assert command.update["usage"]["requests"] == 2
    assert command.goto == "approve"


async def test_role_goes_on_when_nothing_waits() -> None:
    command = await collect({"reports": report("a", 0, 1)})
    assert command.goto == "build"
    assert command.update.keys() == {"messages", "reports", "usage"}


async def test_files_and_rules_are_taken_over() -> None:
    changed = report("a", 0, 1, file_entry=3, tree="t3", proven=False, allowed=["edit(x)"])
    command = await collect({"reports": changed, "file_entry": 1, "tree": "t1"})
    assert {key: command.update[key] for key in ("file_entry", "tree", "proven", "allowed")} == {
        "file_entry": 3, "tree": "t3", "proven": False, "allowed": ["edit(x)"],
    }  # fmt: skip


@pytest.mark.parametrize(("statuses", "ok"), [(["failed"], False), (["failed", "done"], True)])
async def test_answer_fails_only_if_all_have_failed(statuses: list[str], ok: bool) -> None:
    reports: dict[str, Any] = {}
    for position, status in enumerate(statuses):
        reports |= report("a", position, len(statuses), status=status)
    command = await collect({"reports": reports})
    (answer,) = command.update["messages"]
    assert (answer.status == "success") is ok


def test_reports_are_merged_and_taken_away() -> None:
    both = merge_reports({}, cast(Any, {**report("a", 0, 1), **report("b", 0, 1)}))
    assert merge_reports(both, {"a:0": None}).keys() == {"b:0"}
