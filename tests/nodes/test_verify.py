import json
from pathlib import Path

import pytest
from confinement import UNASKED

from maxagent import Answer, Runner, trust
from maxagent.nodes.run.context import Context
from maxagent.nodes.verify import UNTRUSTED
from maxagent.sdk.graph_registry import TASK

TURNS = {
    "architect": [{"text": "SMALL"}],
    "coder": [{"text": "done"}],
    "tester": [{"text": "Accepted."}],
}


@pytest.fixture
async def runner(tmp_path: Path):
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    (folder / ".llc.yaml").write_text("task: {test_command: touch ran}\n")
    trust(folder, tmp_path / "home")
    return folder


@pytest.fixture
def options(tmp_path: Path):
    script = tmp_path / "scenario.json"
    script.write_text(json.dumps(TURNS))
    return {"model": f"scripted/{script}", "apply": True, **UNASKED}


async def last_of(events):
    return [event async for event in events][-1]


@pytest.mark.parametrize("mode", ["", "auto"])
async def test_refused_tests_do_not_run_in_any_mode(runner, project, options, mode):
    asked = await last_of(runner.task("x", folder=project, options={**options, "mode": "ask"}))
    (request,) = asked.action_requests
    assert request["args"] == {"command": "touch ran"} and "sandbox" in request
    refusal = Answer(reject="no")
    end = await last_of(runner.resume(asked.thread_id, refusal, context=Context(mode=mode)))
    assert (end.outcome, (project / "ran").exists()) == ("unverified", False)


async def test_consent_to_one_test_command_excludes_others(tmp_path, project, options):
    async with Runner(home=tmp_path / "home") as first:
        asked = await last_of(first.task("x", folder=project, options={**options, "mode": "ask"}))
    (project / ".llc.yaml").write_text("task: {test_command: touch other}\n")
    trust(project, tmp_path / "home")
    async with Runner(home=tmp_path / "home") as second:
        again = await last_of(second.resume(asked.thread_id, Answer(approve=True)))
        assert again.action_requests[0]["args"] == {"command": "touch other"}
        assert not (project / "other").exists()
        end = await last_of(second.resume(asked.thread_id, Answer(approve=True)))
    assert (end.outcome, (project / "other").exists()) == ("verified", True)


@pytest.mark.parametrize(
    ("command", "verdict", "runs"),
    [
        ("echo x >> log.txt", "passed", 2),
        ("echo x > new.txt", "passed", 1),
        ("grep -q whole code.txt && echo broken > code.txt", "failed", 2),
        ("test -e once || echo y > code.txt; touch once", "passed", 2),
        ("echo x >> log.txt; test ! -e once || echo y > code.txt; touch once", "unverified", 2),
    ],
    ids=["its own log", "a new file", "it breaks the code", "only at first", "another at last"],
)
async def test_files_changed_during_tests_are_tested_again(
    runner, project, options, command, verdict, runs
):
    (project / "log.txt").write_text("")
    (project / "code.txt").write_text("whole\n")
    config = {"task": {"test_command": command, "repair_rounds": 0}}
    (project / ".llc.yaml").write_text(json.dumps(config))
    trust(project, runner.home)
    events = [item async for item in runner.task("x", folder=project, options=options)]
    assert [event.verdict for event in events if event.type == "evidence"] == [verdict]
    assert len([event for event in events if event.type == "verifying"]) == runs


@pytest.mark.parametrize("mode", ["", "ask", "auto"])
async def test_untrusted_folder_runs_no_tests_in_any_mode(runner, project, options, mode):
    (project / "AGENTS.md").write_text("since the yes")
    (project / "test_a.py").write_text("def test_a(): pass\n")
    python = project / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text(f"#!/bin/sh\ntouch {project}/ran\n")
    python.chmod(0o755)
    end = await last_of(runner.task("x", folder=project, options={**options, "mode": mode}))
    assert (end.outcome, end.evidence["reason"]) == ("unverified", UNTRUSTED)
    state = await runner._graph_of(TASK).aget_state({"configurable": {"thread_id": end.thread_id}})
    assert any(
        message.text.endswith(f"No tests have run: {UNTRUSTED}. Judge the change.")
        for message in state.values["messages"]
    )
    assert "the folder is not trusted" in UNTRUSTED and not (project / "ran").exists()
