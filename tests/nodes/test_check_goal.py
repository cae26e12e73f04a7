"""A message that is done when the project's tests pass."""

import json
from pathlib import Path

import pytest

from maxagent import Answer, Runner, trust

TEST = "import unittest, cart\nclass T(unittest.TestCase):\n"
TEST += "    def test_it(self): self.assertEqual(cart.value, 2)\n"
CONFIG = "task: {test_command: python3 -m unittest, repair_rounds: 2}\n"


def write(value: int) -> dict[str, object]:
    args = {"path": "cart.py", "content": f"value = {value}\n"}
    return {"tool_calls": [{"name": "write_file", "args": args}]}


@pytest.fixture
async def runner(tmp_path: Path):
    home, project = tmp_path / "home", tmp_path / "project"
    project.mkdir()
    home.mkdir()
    (home / "config.yaml").write_text(CONFIG)
    (project / "test_cart.py").write_text(TEST)
    trust(project, home)
    async with Runner(home=home) as opened:
        yield opened


async def events_of(events):
    return [event async for event in events]


def options(tmp_path: Path, *turns: object, mode: str = "auto") -> dict[str, object]:
    script = tmp_path / "scenario.json"
    script.write_text(json.dumps(turns))
    return {"model": f"scripted/{script}", "mode": mode, "goal": True}


DONE = {"text": "It is done."}


@pytest.mark.parametrize(
    ("turns", "end", "verdicts"),
    [
        ([write(2), DONE], "completion", ["passed"]),
        ([DONE, write(2), DONE], "completion", ["failed", "passed"]),
        ([DONE, write(3), DONE, write(2), DONE], "completion", ["failed", "failed", "passed"]),
        ([DONE, DONE, DONE], "question", ["failed"] * 3),
        ([write(3), DONE, DONE, write(4), DONE], "question", ["failed"] * 3),
    ],
)
async def test_turn_ends_with_green_tests_or_budget(runner, tmp_path, turns, end, verdicts):
    folder = tmp_path / "project"
    chosen = options(tmp_path, *turns)
    seen = await events_of(runner.chat("value is 2", folder=folder, options=chosen))
    assert [event.verdict for event in seen if event.type == "evidence"] == verdicts
    assert seen[-1].type == end
    if end == "question":
        assert (seen[-1].kind, runner.threads.list()[0].status) == ("limit", "limit")
        assert "not reached after 2 repair rounds" in seen[-1].description
    else:
        assert seen[-1].outcome == "answered"


async def test_resume_at_the_budget_checks_again_first(runner, tmp_path):
    folder = tmp_path / "project"
    chosen = options(tmp_path, DONE, DONE, DONE, write(2), DONE)
    seen = await events_of(runner.chat("value is 2", folder=folder, options=chosen))
    more = await events_of(runner.resume(seen[-1].thread_id))
    assert [event.verdict for event in more if event.type == "evidence"] == ["failed", "passed"]
    assert more[-1].type == "completion"


async def test_stopped_goal_goes_on_after_resume(runner, tmp_path):
    chosen = options(tmp_path, DONE, write(2), DONE)
    events = runner.chat("value is 2", folder=tmp_path / "project", options=chosen)
    thread = ""
    async for event in events:
        thread = getattr(event, "thread_id", "") or thread
        if event.type == "evidence":
            break  # as a kill: the stream is left where it is
    await events.aclose()
    more = await events_of(runner.resume(thread))
    assert more[-1].type == "completion"
    assert (tmp_path / "project" / "cart.py").read_text() == "value = 2\n"
    assert "goal" not in await runner.options_of(thread)  # it was for one message


@pytest.mark.parametrize(
    ("mode", "trusted", "end"),
    [("ask", True, "question"), ("read-only", True, "completion"), ("auto", False, "completion")],
)
async def test_goal_allows_nothing_more(runner, tmp_path, mode, trusted, end):
    folder = tmp_path / "project"
    if not trusted:
        folder = tmp_path / "other"
        folder.mkdir()
        (folder / "test_it.py").write_text(TEST)
    chosen = options(tmp_path, DONE, DONE, mode=mode)
    seen = await events_of(runner.chat("value is 2", folder=folder, options=chosen))
    assert seen[-1].type == end
    if end == "question":
        assert "run_tests" in str(seen[-1])
        seen = await events_of(runner.resume(seen[-1].thread_id, Answer(reject="no")))
    assert seen[-1].outcome == "failed"
    assert [event.verdict for event in seen if event.type == "evidence"] == ["unverified"]
