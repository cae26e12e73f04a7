"""The turns of the tester that writes tests: what it is told first, and a remark of the user."""

import json
from pathlib import Path
from typing import Any

from maxagent import Answer, Runner, trust
from maxagent.nodes.options import Options

FIRST, SECOND = ("def test_one():\n    pass\n", "def test_two():\n    pass\n")


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
