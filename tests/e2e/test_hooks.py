"""Hooks in `mcode`: a kill at each moment, the question of trust, and what people see."""

import json
import os
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from program import Ended, Program
from provider import Provider

from maxagent.cli.rendering.listings.trust_inventory import format_inventory
from maxagent.config.trust.decision import check_trust

WRITE = {"name": "run_command", "args": {"command": "echo ran >> log.txt"}}
# It says when it runs, and ends only once it may
WAITS = "echo x >> {home}/runs; echo $$ > {home}/pid; test -e {home}/go || sleep 600; echo noted"


@pytest.fixture
def chat(program: Program, provider: Provider) -> list[str]:
    provider.script([{"tool_calls": [WRITE]}, {"text": "It is written."}])
    program.home.mkdir()
    return ["Write it", "--model", "openai/served", "--base-url", provider.url, "--mode", "auto"]


def configure(program: Program, **hooks: str) -> None:
    entries = {
        event: [{"command": command.format(home=program.home)}] for event, command in hooks.items()
    }
    (program.home / "config.yaml").write_text(json.dumps({"hooks": entries}))


def kill_in_hook(program: Program, chat: list[str]) -> str:
    """Start a conversation, kill it while its hook runs, and let the hook end next time."""
    process = program.start("chat", *chat)
    assert process.stdout
    thread = json.loads(process.stdout.readline())["thread_id"]
    hook = read_pid(program.home / "pid")
    process.kill()
    program.end(process)
    assert wait_until_gone(hook)
    (program.home / "go").touch()
    return thread


def read_pid(file: Path) -> int:
    give_up = time.monotonic() + 60
    while not (file.exists() and file.read_text().strip()):
        assert time.monotonic() < give_up
        time.sleep(0.02)
    return int(file.read_text())


def wait_until_gone(pid: int) -> bool:
    give_up = time.monotonic() + 20
    while time.monotonic() < give_up:
        with suppress(ProcessLookupError):
            os.kill(pid, 0)
            time.sleep(0.02)
            continue
        return True
    return False


def count_runs(program: Program) -> int:
    return len((program.home / "runs").read_text().splitlines())


def get_result(ended: Ended) -> dict[str, object]:
    [result] = ended.told("tool_result")
    return result


@pytest.mark.parametrize("event", ["before_tool", "after_tool"])
def test_kill_in_a_hook_runs_the_call_once(
    event: str, program: Program, provider: Provider, chat: list[str]
) -> None:
    configure(program, **{event: WAITS})
    thread = kill_in_hook(program, chat)
    ended = program.resume(thread)
    assert (ended.code, ended.outcome) == (0, "answered")
    assert program.lines() == ["ran"]
    assert count_runs(program) == 2  # the one that was cut short gave no answer
    assert get_result(ended)["ok"]
    assert ("noted" in str(get_result(ended)["output"])) == (event == "after_tool")
    assert len(provider.requests) == 2


def test_kill_in_a_stop_hook_keeps_the_answer(
    program: Program, provider: Provider, chat: list[str]
) -> None:
    configure(program, on_stop=WAITS)
    thread = kill_in_hook(program, chat)
    ended = program.resume(thread)
    assert (ended.code, ended.last["summary"]) == (0, "It is written.")
    assert len(provider.requests) == 2 and count_runs(program) == 2


def test_kill_after_hooks_runs_none_again(
    program: Program, provider: Provider, chat: list[str]
) -> None:
    (program.home / "go").touch()
    configure(program, before_tool=WAITS, after_tool=WAITS, on_session_start=WAITS)
    provider.script([{"tool_calls": [WRITE]}, {"text": "half", "hang_after": 0}, {"text": "Done."}])
    process = program.start("chat", *chat)
    assert process.stdout
    thread = json.loads(process.stdout.readline())["thread_id"]
    give_up = time.monotonic() + 60
    while len(provider.requests) < 2:
        assert time.monotonic() < give_up
        time.sleep(0.02)
    process.kill()
    program.end(process)
    ended = program.resume(thread)
    assert (ended.code, ended.last["summary"]) == (0, "Done.")
    assert count_runs(program) == 3 and program.lines() == ["ran"]


def test_ctrl_c_ends_a_hook(program: Program, chat: list[str]) -> None:
    configure(program, before_tool=WAITS)
    process = program.start("chat", *chat)
    hook = read_pid(program.home / "pid")
    process.send_signal(signal.SIGINT)
    ended = program.end(process)
    assert (ended.code, ended.last["type"]) == (130, "interrupted")
    assert wait_until_gone(hook) and not (program.project / "log.txt").exists()


def test_people_see_what_a_hook_refuses(program: Program, chat: list[str]) -> None:
    configure(program, before_tool="echo 'not on friday' >&2; exit 2")
    ended = program.run("chat", *chat)
    assert ended.stdout == "It is written.\n"
    assert "hook `echo 'not on friday' >&2; exit 2` denied the call: not on friday" in ended.stderr


def test_doctor_names_wrong_hooks(program: Program) -> None:
    program.home.mkdir()
    hooks = {"before_tool": [{"matcher": "Bsah", "command": "no-such-program"}]}
    (program.home / "config.yaml").write_text(json.dumps({"hooks": hooks}))
    [check] = [
        c for c in json.loads(program.run("doctor", "--json").stdout) if c["name"] == "hooks"
    ]
    assert check["status"] == "warn"
    assert "`no-such-program`" in check["detail"] and "`Bsah`" in check["detail"]
    stdout = program.run("config", "show").stdout
    assert "no-such-program" in stdout


def test_trust_question_names_the_hooks(program: Program, provider: Provider) -> None:
    provider.script([{"tool_calls": [WRITE]}, {"text": "It is written."}])
    hooks = {
        "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "exit 2"}]}]
    }
    (program.project / ".llc.yaml").write_text(json.dumps({"hooks": hooks}))
    result = check_trust(program.project, program.home)
    [line] = [line for line in format_inventory(result, tests=False) if "hooks.PreToolUse" in line]
    assert '"command": "exit 2"' in line
    options = ["--model", "openai/served", "--base-url", provider.url, "--mode", "auto"]
    untrusted = program.run("chat", "Write it", *options, "--output", "stream-json")
    assert untrusted.told("hook") == [] and program.lines() == ["ran"]
    provider.script([{"tool_calls": [WRITE]}, {"text": "It is written."}])
    trusted = program.run("chat", "Write it", *options, "--output", "stream-json", "--trust")
    assert [hook["outcome"] for hook in trusted.told("hook")] == ["refused"]
    assert program.lines() == ["ran"]


def test_hooks_see_tools_of_servers(program: Program, provider: Provider, tmp_path: Path) -> None:
    server = Path(__file__).parents[1] / "fixtures" / "mcp_servers" / "new_era_server.py"
    file = tmp_path / "config" / "maxagent" / "mcp_servers.json"
    file.parent.mkdir(parents=True)
    command = {"command": sys.executable, "args": [str(server)]}
    file.write_text(json.dumps({"servers": {"own": command}}))
    program.home.mkdir()
    denies = f"cat > {program.home}/input; echo 'no sums' >&2; exit 2"
    deny = {"matcher": "mcp__own__add", "command": denies}
    (program.home / "config.yaml").write_text(json.dumps({"hooks": {"before_tool": [deny]}}))
    sums, echoes = ("add", {"a": 1, "b": 2}), ("echo", {"text": "heard"})
    calls = [
        {
            "name": "use_mcp_tool",
            "args": {"server_name": "own", "tool_name": tool, "arguments": args},
        }
        for tool, args in (sums, echoes)
    ]
    provider.script([{"tool_calls": calls}, {"text": "Done."}])
    ended = program.chat("add", "--mode", "auto", XDG_CONFIG_HOME=str(tmp_path / "config"))
    first, second = ended.told("tool_result")
    assert first["error"] == "A hook refused this call: no sums", first
    assert second["ok"] and "heard" in second["output"], second
    fields = json.loads((program.home / "input").read_text())
    assert (fields["tool"], fields["args"]) == ("mcp_own_add", {"a": 1, "b": 2})
