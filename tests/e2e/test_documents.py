"""The configuration file that the user's documents give as their complete example."""

from pathlib import Path

from program import Program
from provider import Provider

EXAMPLE = Path(__file__).parents[1] / "fixtures" / "documents_config.yaml"
WRITES = {"tool_calls": [{"name": "write_file", "args": {"path": "new.txt", "content": "new\n"}}]}
COMPLETES = {"result": "It is done.", "command": "cat new.txt"}
ENDS = {"tool_calls": [{"name": "attempt_completion", "args": COMPLETES}]}


def configured(program: Program) -> None:
    program.home.mkdir(exist_ok=True)
    (program.home / "config.yaml").write_text(EXAMPLE.read_text())


def test_its_confirmations_hold_in_auto(program: Program, provider: Provider) -> None:
    configured(program)
    provider.script([WRITES, ENDS])
    asked = program.chat("write it", "--mode", "auto", GLM_API_KEY="abcdefgh-0123")
    assert (asked.code, asked.last["action_requests"][0]["name"]) == (4, "write_file")
    assert not any("names tools" in event["text"] for event in asked.told("notice"))
    ended = program.resume(asked.last["thread_id"], "--approve", GLM_API_KEY="abcdefgh-0123")
    assert (program.project / "new.txt").read_text() == "new\n"
    assert (ended.code, ended.last["summary"]) == (0, "It is done.")
    assert [event["text"] for event in ended.told("output")] == ["It is done."]


def test_doctor_names_tools_of_later_versions(program: Program) -> None:
    configured(program)
    program.run("config", "set", "tools.disabled", "[task, mcp_github_search]")
    checked = program.run("doctor", GLM_API_KEY="abcdefgh-0123")
    assert "not in this version: task" in checked.stdout
    said = program.run("config", "set", "agents.coder.system_prompt", "Be brief.")
    assert "added to the built-in prompt" in said.stderr
