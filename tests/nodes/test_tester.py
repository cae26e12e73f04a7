import json

import pytest

from maxagent import Runner
from maxagent.nodes.tester import is_rejected


@pytest.mark.parametrize(
    ("words", "rejected"),
    [
        ("REJECTED\nit divides by zero", True),
        ("**REJECTED**: …", True),
        ("I looked at everything.\n\nREJECTED: it divides by zero", True),
        ("Accepted. Nothing was REJECTED.", False),
        ("", False),
    ],
)
def test_only_a_word_that_leads_a_line_sends_the_change_back(words, rejected):
    assert is_rejected(words) is rejected


async def test_what_the_tester_does_where_no_snapshot_looks_is_tested_too(tmp_path):
    project, script = tmp_path / "project", tmp_path / "scenario.json"
    (project / "made").mkdir(parents=True)
    (project / "made" / "code.txt").write_text("whole\n")
    (project / ".gitignore").write_text("made/\n")
    config = {"task": {"test_command": "grep whole made/code.txt", "repair_rounds": 0}}
    (project / ".llc.yaml").write_text(json.dumps(config))
    spoil = {"name": "run_command", "args": {"command": "echo broken > made/code.txt"}}
    tester = [{"tool_calls": [spoil]}, {"text": "Accepted."}]
    turns = {"architect": [{"text": "SMALL"}], "coder": [{"text": "done"}], "tester": tester}
    script.write_text(json.dumps(turns))
    options = {"model": f"scripted/{script}", "mode": "auto", "apply": True}
    async with Runner(home=tmp_path / "home") as runner:
        events = [one async for one in runner.task("x", folder=project, options=options)]
    assert [one.verdict for one in events if one.type == "evidence"] == ["passed", "failed"]
    assert events[-1].outcome == "failed"
