import json
from pathlib import Path

import pytest

from maxagent import Answer, Runner
from maxagent.nodes import approve
from maxagent.nodes.context import Context

WRITE = {"name": "run_command", "args": {"command": "echo x >> log.txt"}}


@pytest.fixture
async def runner(tmp_path: Path):
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
async def asked(runner, project, tmp_path):
    """The question of a thread that waits for leave to run a command."""
    script = tmp_path / "scenario.json"
    coder = [{"tool_calls": [WRITE]}, {"text": "done"}]
    script.write_text(json.dumps({"architect": [{"text": "SMALL"}], "coder": coder}))
    options = {"model": f"scripted/{script}", "mode": "ask", "skip_tests": True, "apply": True}
    return await last_of(runner.task("write", folder=project, options=options))


async def last_of(events):
    return [event async for event in events][-1]


async def test_a_refusal_holds_under_a_mode_that_would_have_allowed_the_call(
    runner, project, asked
):
    refusal, auto = Answer(reject="no"), Context(mode="auto")
    end = await last_of(runner.resume(asked.thread_id, refusal, context=auto))
    assert end.type == "completion" and not (project / "log.txt").exists()


async def test_a_refusal_holds_after_an_approval_that_the_process_did_not_outlive(
    runner, project, asked, monkeypatch
):
    async def full(*_: object):
        raise OSError("the disk is full")

    with monkeypatch.context() as broken:
        broken.setattr(approve, "ground", full)
        assert (await last_of(runner.resume(asked.thread_id, Answer(approve=True)))).type == "error"
    assert (await last_of(runner.resume(asked.thread_id))).type == "question"
    end = await last_of(runner.resume(asked.thread_id, Answer(reject="no")))
    assert end.type == "completion" and not (project / "log.txt").exists()


@pytest.mark.parametrize("action", ["ls", ["ls"], {"args": "ls"}, {}])
async def test_a_thread_survives_an_edit_of_the_wrong_shape(runner, project, asked, action):
    wrong = Answer(decisions=[{"type": "edit", "edited_action": action}])
    again = await last_of(runner.resume(asked.thread_id, wrong))
    assert again.type == "question"
    await last_of(runner.resume(asked.thread_id, Answer(approve=True)))
    assert (project / "log.txt").read_text() == "x\n"
