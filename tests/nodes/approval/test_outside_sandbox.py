import json
from pathlib import Path

import pytest
from confinement import ASKING, needs_bubblewrap

from maxagent import Answer, Runner
from maxagent.sdk.threads.transcript import read_transcript

pytestmark = needs_bubblewrap

PROBE = "ls {beyond} && echo ran >> log.txt || {{ echo 'cp: Read-only file system'; exit 1; }}\n"
"""What stands beside the project is not there inside: `/tmp` is the command's own."""
RUN = {"name": "run_command", "args": {"command": "sh probe.sh"}}
AFTER = {"name": "run_command", "args": {"command": "touch after.txt"}}


@pytest.fixture(autouse=True)
def commands_run_confined(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(ASKING, "run")


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (tmp_path / "beyond").touch()
    (folder / "probe.sh").write_text(PROBE.format(beyond=tmp_path / "beyond"))
    return folder


@pytest.fixture
async def runner(tmp_path: Path):
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


async def events_of(events):
    return [event async for event in events]


async def started(runner: Runner, project: Path, *calls, **more: object):
    script = project.parent / "scenario.json"
    turns = {"architect": [{"text": "SMALL"}], "coder": [{"tool_calls": calls}, {"text": "done"}]}
    script.write_text(json.dumps(turns))
    options = {"model": f"scripted/{script}", "skip_tests": True, "apply": True, **more}
    return await events_of(runner.task("probe", folder=project, options=options))


def results(events):
    return [(event.ok, event.tool) for event in events if event.type == "tool_result"]


async def test_blocked_command_is_asked_and_runs_outside(runner, project):
    before = await started(runner, project, RUN, AFTER)
    [request] = before[-1].action_requests
    assert request["args"] == {"command": "sh probe.sh", "outside_sandbox": True}
    assert "Read-only file system" in request["description"]
    assert not (project / "after.txt").exists()

    after = await events_of(runner.resume(before[-1].thread_id, Answer(approve=True)))

    assert results(before) + results(after) == [(True, "run_command")] * 2
    assert (project / "log.txt").read_text() == "ran\n"
    assert (project / "after.txt").exists() and after[-1].type == "completion"


async def test_refused_block_answers_with_first_result(runner, project):
    before = await started(runner, project, RUN, AFTER)
    after = await events_of(runner.resume(before[-1].thread_id, Answer(reject="stay inside")))
    [first, second] = [item for item in after if item.type == "tool_result"]
    assert "Read-only file system" in first.error and "stay inside" in first.error
    assert not first.ok and second.ok and (project / "after.txt").exists()
    assert not (project / "log.txt").exists()


async def test_block_question_outlives_its_process(tmp_path, project):
    async with Runner(home=tmp_path / "home") as runner:
        question = (await started(runner, project, RUN))[-1]
    async with Runner(home=tmp_path / "home") as other:
        again = (await events_of(other.resume(question.thread_id)))[-1]
        assert again.action_requests == question.action_requests
        end = (await events_of(other.resume(question.thread_id, Answer(approve=True))))[-1]
    assert end.type == "completion" and (project / "log.txt").read_text() == "ran\n"


async def test_transcript_tells_second_run(runner, project):
    question = (await started(runner, project, RUN))[-1]
    await events_of(runner.resume(question.thread_id, Answer(approve=True)))
    row = runner.threads.find(question.thread_id)
    [call] = [item for item in read_transcript(row, runner.home) if item.kind == "call"]
    assert call.ok and call.facts["exit_code"] == 0


async def test_auto_mode_answers_blocked_command(runner, project):
    events = await started(runner, project, RUN, mode="auto")
    assert results(events) == [(False, "run_command")] and events[-1].type == "completion"


@pytest.mark.parametrize("command", ["curl -s http://localhost:9", "echo x > /opt/elsewhere/x"])
async def test_command_beyond_the_wall_is_asked_before(runner, project, command):
    call = {"name": "run_command", "args": {"command": command}}
    [request] = (await started(runner, project, call))[-1].action_requests
    assert request["args"] == {"command": command, "outside_sandbox": True}
    assert "outside the sandbox" in request["description"]
