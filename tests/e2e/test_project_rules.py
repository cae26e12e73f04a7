"""Programs: "always" belongs to its project and to what it starts, a parked yes to its script."""

import json
import shutil
import sys
from pathlib import Path

import pytest
from program import Ended, Program
from provider import Provider

SERVERS = Path(__file__).parents[1] / "fixtures" / "mcp_servers"
NPM = pytest.param(
    "npm run build",
    "package.json",
    '{"scripts": {"build": "echo %s >> log.txt"}}',
    marks=pytest.mark.skipif(not shutil.which("npm"), reason="npm is not installed"),
)
MAKE = pytest.param("make build", "Makefile", "build:\n\techo %s >> log.txt\n")


class Projects:
    """Two projects of one user, and a model that runs one command in either."""

    def __init__(self, folder: Path, provider: Provider, command: str) -> None:
        self.provider, self.command = provider, command
        self.first = Program(folder, provider.url)
        self.second = Program(folder / "b", provider.url, {"MAXAGENT_HOME": str(self.first.home)})

    def ask(self, program: Program, *answers: dict, mode: str = "ask") -> Ended:
        call = {"name": "run_command", "args": {"command": self.command}}
        self.provider.script([{"tool_calls": [call]}, {"text": "Done."}])
        output = [{"type": "user", "text": "build it"}, *answers]
        lines = "".join(f"{json.dumps(line)}\n" for line in output)
        options = ["--input", "stream-json", "--mode", mode, "--trust"]
        return program.chat(*options, stdin=lines)


def answer(**decision: object) -> dict:
    return {"type": "answer", "decisions": [{"type": "approve", **decision}]}


@pytest.mark.parametrize(("command", "file", "text"), [NPM, MAKE])
def test_always_holds_in_its_project_until_script_changes(
    command: str, file: str, text: str, tmp_path: Path, provider: Provider
) -> None:
    projects = Projects(tmp_path, provider, command)
    first, second = projects.first, projects.second
    for program in (first, second):
        (program.project / file).write_text(text % "good")
    asked = projects.ask(first)
    [request] = asked.last["action_requests"]
    rule = request["always"]
    assert (asked.code, asked.last["type"]) == (4, "question")
    assert projects.ask(first, answer(always=rule)).code == 0
    assert first.lines() == ["good"]

    assert projects.ask(first).code == 0 and first.lines() == ["good", "good"]
    other = projects.ask(second)
    assert (other.code, other.last["type"]) == (4, "question")
    assert not (second.project / "log.txt").exists()
    for mode in ("ask", "auto"):
        (first.project / file).write_text(text % "evil")
        changed = projects.ask(first, mode=mode)
        [request] = changed.last["action_requests"]
        assert (changed.code, request["always"]) == (4, rule)
        assert "evil" in request["diff"] and "good" in request["diff"]
    assert first.lines() == ["good", "good"]

    entries = json.loads(first.run("permissions", "list", "--json").stdout)["project_rules"]
    assert [(row["rule"], row["holds"]) for row in entries] == [(rule, False)]
    stdout = first.run("permissions", "explain", "run_command", command).stdout
    assert "but" in stdout and "evil" in stdout and "consent" in stdout
    assert first.run("permissions", "remove", rule).code == 0
    assert json.loads(first.run("permissions", "list", "--json").stdout)["project_rules"] == []
    assert first.run("permissions", "remove", rule).code == 2


def test_parked_approval_covers_the_script_shown(tmp_path: Path, provider: Provider) -> None:
    projects = Projects(tmp_path, provider, "bash run.sh")
    program = projects.first
    (program.project / "run.sh").write_text("echo good >> log.txt\n")
    parked = projects.ask(program).last
    (program.project / "run.sh").write_text("echo evil >> log.txt\n")
    names = ["--question", parked["id"], "--approve"]
    again = program.resume(parked["thread_id"], *names)
    assert (again.code, again.last["type"]) == (4, "question")
    assert not (program.project / "log.txt").exists()
    [request] = again.last["action_requests"]
    assert "+echo evil" in request["diff"] and "-echo good" in request["diff"]
    done = program.resume(parked["thread_id"], "--question", again.last["id"], "--approve")
    assert (done.code, program.lines()) == (0, ["evil"])


def test_always_for_server_tool_binds_to_its_entry(tmp_path: Path, provider: Provider) -> None:
    projects = Projects(tmp_path, provider, "")
    first, second = projects.first, projects.second
    for program in (first, second):  # a project's server does not see the rest of `/tmp`
        shutil.copytree(SERVERS, program.project / "servers")

    def ask(program: Program, *answers: dict, env: str, mode: str = "ask") -> Ended:
        entry = {
            "command": sys.executable,
            "args": ["servers/old_era_server.py"],
            "env": {"A": env},
        }
        (program.project / ".mcp.json").write_text(json.dumps({"mcpServers": {"db": entry}}))
        args = {"server_name": "db", "tool_name": "echo", "arguments": {"text": "hi"}}
        call = {"name": "use_mcp_tool", "args": args}
        provider.script([{"tool_calls": [call]}, {"text": "Done."}])
        output = [{"type": "user", "text": "echo"}, *answers]
        lines = "".join(f"{json.dumps(line)}\n" for line in output)
        return program.chat("--input", "stream-json", "--mode", mode, "--trust", stdin=lines)

    asked = ask(first, env="1")
    assert asked.last["action_requests"][0]["always"] == "mcp_db_echo", asked.stderr
    assert ask(first, answer(always="mcp_db_echo"), env="1").code == 0
    assert ask(first, env="1").code == 0
    assert ask(second, env="1").code == 4
    for mode in ("ask", "auto"):
        changed = ask(first, env="2", mode=mode)
        [request] = changed.last["action_requests"]
        assert "`server db` in" in request["description"] and "+env A=2" in request["diff"]
