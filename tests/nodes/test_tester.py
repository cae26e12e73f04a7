import json
from pathlib import Path
from typing import Any

from confinement import UNASKED

from maxagent import Answer, Runner, trust
from maxagent.nodes.options import Options
from maxagent.nodes.tester import COUNTS_AS_REJECTED

FIRST, SECOND = ("def test_one():\n    pass\n", "def test_two():\n    pass\n")


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


def write(path: str, content: str) -> dict[str, Any]:
    call = {"name": "write_file", "args": {"path": path, "content": content}}
    return {"tool_calls": [call]}


async def test_a_remark_goes_back_to_the_tester(tmp_path: Path) -> None:
    home, project, script = (tmp_path / name for name in ("home", "project", "script.json"))
    project.mkdir()
    (project / "cart.py").write_text("total = sum\n")
    (project / ".llc.yaml").write_text("task: {test_command: 'true'}\n")
    trust(project, home)
    turns = [write("test_one.py", FIRST), {"text": "One."}]
    script.write_text(json.dumps([*turns, write("test_two.py", SECOND), {"text": "Two."}]))
    options: Options = {"model": f"scripted/{script}", "mode": "auto"}

    async with Runner(home=home) as runner:
        events = runner.generate_tests("cart.py", "Sums.", folder=project, options=options)
        asked = [event async for event in events][-1]
        assert (asked.type, asked.kind) == ("question", "review")
        remark = Answer(text="And another.", question=asked.id)
        asked = [event async for event in runner.resume(asked.thread_id, remark)][-1]
        keep = Answer(approve=True, question=asked.id)
        ended = [event async for event in runner.resume(asked.thread_id, keep)][-1]
        state, _ = await runner.read_state(asked.thread_id)

    assert (ended.outcome, ended.summary) == ("verified", "Two.")
    assert sorted(entry.name for entry in project.glob("test_*")) == ["test_one.py", "test_two.py"]
    message_text = [message.text for message in state["messages"] if message.type == "human"]
    first, *_, last = [text for text in message_text if "cart.py" in text or "another" in text]
    assert first.startswith("Write tests for `cart.py`.\n\nSums.\n\nThe file to test: `cart.py`.")
    assert "before you begin: `true`:" in first and "And another." in last
