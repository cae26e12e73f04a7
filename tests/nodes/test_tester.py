import json

from confinement import UNASKED

from maxagent import Runner, trust
from maxagent.nodes.tester import COUNTS_AS_REJECTED


async def test_praise_is_no_verdict_and_tester_retries(tmp_path):
    script = tmp_path / "scenario.json"
    (tmp_path / ".llc.yaml").write_text("task: {test_command: 'true'}\n")
    trust(tmp_path, tmp_path / "home")
    tester = [{"text": "What a beautiful change"}, {"text": "Accepted."}]
    turns = {"architect": [{"text": "SMALL"}], "coder": [{"text": "done"}], "tester": tester}
    script.write_text(json.dumps(turns))
    options = {"model": f"scripted/{script}", "apply": True, **UNASKED}
    async with Runner(home=tmp_path / "home") as runner:
        end = [item async for item in runner.task("x", folder=tmp_path, options=options)][-1]
    assert end.outcome == "verified"


async def test_tester_without_verdict_rejects_after_two_reminders(tmp_path):
    script = tmp_path / "scenario.json"
    settings = "task: {test_command: 'true', repair_rounds: 1}\n"
    (tmp_path / ".llc.yaml").write_text(settings)
    trust(tmp_path, tmp_path / "home")
    turns = {
        "architect": [{"text": "SMALL"}],
        "coder": [{"text": "done"}, {"text": "still done"}],
        "tester": [{"text": f"I have no idea ({n})."} for n in range(6)],
    }
    script.write_text(json.dumps(turns))
    options = {"model": f"scripted/{script}", "apply": True, **UNASKED}
    async with Runner(home=tmp_path / "home") as runner:
        events = [item async for item in runner.task("x", folder=tmp_path, options=options)]
    notices = [event.text for event in events if event.type == "notice"]
    assert notices.count(COUNTS_AS_REJECTED) == 2
    assert (events[-1].outcome, len([e for e in events if e.type == "token_usage"])) == (
        "failed",
        9,
    )


async def test_tester_changes_outside_snapshots_are_tested_again(tmp_path):
    project, script = tmp_path / "project", tmp_path / "scenario.json"
    (project / "made").mkdir(parents=True)
    (project / "made" / "code.txt").write_text("whole\n")
    (project / ".gitignore").write_text("made/\n")
    config = {"task": {"test_command": "grep whole made/code.txt", "repair_rounds": 0}}
    (project / ".llc.yaml").write_text(json.dumps(config))
    trust(project, tmp_path / "home")
    spoil = {"name": "run_command", "args": {"command": "echo broken > made/code.txt"}}
    tester = [{"tool_calls": [spoil]}, {"text": "Accepted."}]
    turns = {"architect": [{"text": "SMALL"}], "coder": [{"text": "done"}], "tester": tester}
    script.write_text(json.dumps(turns))
    options = {"model": f"scripted/{script}", "mode": "auto", "apply": True}
    async with Runner(home=tmp_path / "home") as runner:
        events = [item async for item in runner.task("x", folder=project, options=options)]
    assert [event.verdict for event in events if event.type == "evidence"] == ["passed", "failed"]
    assert events[-1].outcome == "failed"
