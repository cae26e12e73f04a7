"""The configuration file that the user's documents give as their complete example."""

import subprocess
from collections import Counter
from pathlib import Path

from program import Program
from provider import Provider
from ruamel.yaml import YAML

EXAMPLE = Path(__file__).parents[1] / "fixtures" / "documents_config.yaml"
WRITES = {"tool_calls": [{"name": "write_file", "args": {"path": "new.txt", "content": "new\n"}}]}
COMPLETES = {"result": "It is done.", "command": "cat new.txt"}
ENDS = {"tool_calls": [{"name": "attempt_completion", "args": COMPLETES}]}


LOOKS: dict[str, dict[str, object]] = {
    "read_file": {"path": "notes.txt"},
    "list_files": {"path": "."},
    "search_code": {"query": "first"},
    "grep": {"regex": "second"},
    "glob": {"pattern": "*.txt"},
    "find_files": {"pattern": "*.txt", "recursive": True},
    "git_status": {},
    "git_diff": {},
    "git_log": {},
    "git_branch": {},
    "todowrite": {"action": "create", "content": "<task>one</task><task>two</task>"},
    "todoread": {},
    "search_memory": {"query": "anything"},
}
ACTS: dict[str, dict[str, object]] = {
    "write_file": {"path": "new.txt", "content": "new\n"},
    "edit": {"file_path": "notes.txt", "old_string": "first", "new_string": "1st"},
    "run_command": {"command": "echo of-the-command > made.txt; cat made.txt"},
    "webfetch": {"url": "https://nowhere.invalid/"},
    "todoclear": {},
}


def calls(tools: dict[str, dict[str, object]]) -> dict[str, object]:
    return {"tool_calls": [{"name": n, "args": a, "id": n} for n, a in tools.items()]}


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


def test_each_of_its_tools_is_called_and_answered(program: Program, provider: Provider) -> None:
    configured(program)
    assert sorted(YAML().load(EXAMPLE)["tools"]["enabled"]) == sorted([*LOOKS, *ACTS])
    (program.project / "notes.txt").write_text("first\nsecond\n")
    subprocess.run(["git", "init", "-q"], cwd=program.project, check=True)
    provider.script([calls(LOOKS), calls(ACTS), {"text": "All were called."}])
    asked = program.chat("call them all", "--mode", "auto", GLM_API_KEY="abcdefgh-0123")
    questions = [request["name"] for request in asked.last["action_requests"]]
    assert (asked.code, questions) == (4, ["write_file", "run_command", "webfetch"])
    ended = program.resume(asked.last["thread_id"], "--approve", GLM_API_KEY="abcdefgh-0123")
    results = [*asked.told("tool_result"), *ended.told("tool_result")]
    assert Counter(result["tool"] for result in results) == {
        **dict.fromkeys({*LOOKS, *ACTS} - {"search_code", "find_files"}, 1),
        "grep": 2,
        "list_files": 2,
    }
    failed = [result["tool"] for result in results if not result["ok"]]
    assert failed == ["webfetch"]  # no test reaches the web
    assert (program.project / "notes.txt").read_text() == "1st\nsecond\n"
    answers = {
        message["tool_call_id"]: message["content"]
        for message in provider.requests[-1].whole["messages"]
        if message["role"] == "tool"
    }
    assert len(answers) == 18 and "of-the-command" in "".join(answers.values())
    assert "".join(event["text"] for event in ended.told("output")) == "All were called."


def test_doctor_names_tools_without_a_server(program: Program) -> None:
    configured(program)
    program.run("config", "set", "tools.disabled", "[mcp_github_search]")
    checked = program.run("doctor", GLM_API_KEY="abcdefgh-0123")
    assert "not available here: mcp_github_search" in checked.stdout
    result = program.run("config", "set", "agents.coder.system_prompt", "Be brief.")
    assert "added to the built-in prompt" in result.stderr
