"""What the documentation shows is run as it is written."""

import asyncio
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest
from typer.testing import CliRunner
from warm_start import LANG, run_python

import maxagent
from maxagent.cli.app import app
from maxagent.config.agents.command_expansion import expand_prompt
from maxagent.config.agents.custom_commands import load_custom_commands
from maxagent.config.agents.parser import KEYS
from maxagent.config.trust.decision import check_trust

ROOT = Path(__file__).parents[2]


def block(page: str, language: str, number: int = 0) -> str:
    text = (ROOT / page).read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", text, re.DOTALL)[number]


def run_program(
    arguments: Sequence[str], folder: Path, **environ: str
) -> subprocess.CompletedProcess[str]:
    home = {"LANG": LANG, "MAXAGENT_HOME": str(folder / "home"), **environ}
    return run_python(arguments, folder, {**os.environ, **home})


def mcode(
    arguments: Sequence[str], folder: Path, **environ: str
) -> subprocess.CompletedProcess[str]:
    return run_program(["-m", "maxagent", *arguments], folder, **environ)


def test_the_sdk_page_names_what_is_there() -> None:
    matches = re.findall(r"^- `(\w+)\(", (ROOT / "docs/sdk.md").read_text(encoding="utf-8"), re.M)
    assert "chat" in matches and set(matches) <= {*maxagent.__all__, *dir(maxagent.Runner)}


def test_sdk_page_program_answers_all_questions(tmp_path: Path) -> None:
    write = {"name": "run_command", "args": {"command": "echo done > made.txt"}}
    turns = {
        "architect": [{"text": "SMALL"}],
        "coder": [{"tool_calls": [write]}, {"text": "It is made."}],
        "tester": [{"text": "Accepted."}],
    }
    (tmp_path / "scenario.json").write_text(json.dumps(turns))
    (tmp_path / ".llc.yaml").write_text("task: {test_command: test -f made.txt}\n")
    model = f"scripted/{tmp_path / 'scenario.json'}"
    ended = run_program(["-c", block("docs/sdk.md", "python")], tmp_path, LLC_MODEL=model)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.splitlines()[-1].endswith("}") and "verified" in ended.stdout


def test_sdk_page_leaves_what_is_not_harmless(tmp_path: Path) -> None:
    write = {"name": "run_command", "args": {"command": "echo done > made.txt"}}
    turns = {"architect": [{"text": "SMALL"}], "coder": [{"tool_calls": [write]}]}
    (tmp_path / "scenario.json").write_text(json.dumps(turns))
    model = f"scripted/{tmp_path / 'scenario.json'}"
    page = block("docs/sdk.md", "python", 1)
    ended = run_program(["-c", page], tmp_path, LLC_MODEL=model, MAXAGENT_SECURITY__MODE="ask")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "question \n", "")
    assert not (tmp_path / "made.txt").exists()


def test_sdk_page_conversation_runs_to_its_end(tmp_path: Path) -> None:
    write = {"name": "write_file", "args": {"path": "hi.py", "content": "print('hi')\n"}}
    turns = [{"tool_calls": [write]}, {"text": "It greets."}, {"text": "Run it."}]
    (tmp_path / "scenario.json").write_text(json.dumps(turns))
    model = f"scripted/{tmp_path / 'scenario.json'}"
    page = block("docs/sdk.md", "python", 2)
    ended = run_program(["-c", page], tmp_path, LLC_MODEL=model)
    assert (ended.returncode, ended.stderr) == (0, "")
    lines = ended.stdout.splitlines()
    assert "waits for an answer" in lines[0] and lines[1:] == ["answered It greets.", "Run it."]
    assert (tmp_path / "hi.py").read_text() == "print('hi')\n"


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (3, "It is empty.\n[]\n"),
        (6, "I am a model of your own.\n"),
        (7, "It is empty.\n"),
        (8, "Reviews a change.\n["),
    ],
)
def test_sdk_page_programs_without_a_loop_run(number: int, text: str, tmp_path: Path) -> None:
    (tmp_path / "scenario.json").write_text(json.dumps([{"text": "It is empty."}]))
    model = f"scripted/{tmp_path / 'scenario.json'}"
    page = block("docs/sdk.md", "python", number)
    ended = run_program(["-c", page], tmp_path, LLC_MODEL=model)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout.startswith(text)


def test_sdk_page_runs_are_shown_and_sent(tmp_path: Path) -> None:
    (tmp_path / "scenario.json").write_text(json.dumps([{"text": "Empty."}, {"text": "New."}]))
    model = f"scripted/{tmp_path / 'scenario.json'}"
    ended = run_program(["-c", block("docs/sdk.md", "python", 4)], tmp_path, LLC_MODEL=model)
    assert ended.returncode == 0 and "thread" in ended.stderr
    output, sent, end = ended.stdout.splitlines()
    assert output == "Empty." and re.fullmatch(r'\d+ {"text": "New.", "agent": ""}', sent)
    assert re.match(r'\d+ {"thread_id": ', end)


def test_events_page_example_describes_events() -> None:
    names: dict[str, Any] = {"__name__": "page"}
    exec(block("docs/events.md", "python"), names)
    assert names["describe"](maxagent.Output("Hi.")) == "Hi."


def test_sdk_page_functions_are_called(tmp_path: Path) -> None:
    calls = [{"name": "count_stock", "args": {"item": "bolts"}}]
    order = [{"name": "order", "args": {"item": "bolts"}}]
    turns = [{"tool_calls": calls}, {"tool_calls": order}, {"text": "Ordered."}]
    (tmp_path / "scenario.json").write_text(json.dumps(turns))
    model = f"scripted/{tmp_path / 'scenario.json'}"
    ended = run_program(["-c", block("docs/sdk.md", "python", 5)], tmp_path, LLC_MODEL=model)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert ended.stdout == "Ordered. {'bolts': 17}\n"


@pytest.mark.skipif(find_spec("starlette") is None, reason="starlette is not installed")
async def test_sdk_page_service_serves_many_users(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "scenario.json").write_text(json.dumps([{"text": "Hello."}]))
    monkeypatch.setenv("LLC_MODEL", f"scripted/{tmp_path / 'scenario.json'}")
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    (tmp_path / "project").mkdir()
    monkeypatch.chdir(tmp_path / "project")
    names: dict[str, Any] = {"__name__": "page"}
    exec(compile(block("docs/sdk.md", "python", 9), "page", "exec"), names)
    transport, threads = httpx2.ASGITransport(app=names["app"]), [str(uuid4()) for _ in range(5)]
    client = httpx2.AsyncClient(transport=transport, base_url="http://service")
    async with names["open_runner"](names["app"]), client:
        replies = await asyncio.gather(
            *(client.post(f"/threads/{thread}", content="Hi") for thread in (*threads, "none"))
        )
        stopped = await client.post(f"/threads/{threads[0]}/stop")
    *ends, refused = [json.loads(reply.text.splitlines()[-1]) for reply in replies]
    assert [(end["summary"], end["thread_id"]) for end in ends] == [
        ("Hello.", thread) for thread in threads
    ]
    assert "UUID" in refused["message"] and stopped.json() == {"stopped": False}


def test_the_readme_s_tool_call_reads_the_readme(tmp_path: Path) -> None:
    line = re.search(r"`mcode (tools call .*?)`", (ROOT / "README.md").read_text("utf-8"))[1]
    (tmp_path / "README.md").write_text("hello\n")
    ended = mcode(shlex.split(line), tmp_path)
    assert (ended.returncode, "hello" in ended.stdout) == (0, True)


def test_every_command_of_the_readme_exists(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = {match for match in re.findall(r"mcode ((?:[a-z]+ ?){1,2})", text)}
    names = {"task", "edit", "resume", "threads", "tools", "config", "doctor", "studio", "in"}
    names |= {"undo", "rewind", "diff", "trust", "agents", "chat", "init", "models", "auth"}
    names |= {"test", "web"}
    assert {command.split()[0] for command in commands} <= names
    for name in names - {"in"}:
        assert mcode([name, "--help"], tmp_path).returncode == 0, name


def test_the_edit_pages_commands_do_what_it_says(tmp_path: Path) -> None:
    scenario = tmp_path / "scenario.json"
    codes, message = [], []
    for line in block("docs/edit.md", "sh").splitlines():
        _, command, *text = shlex.split(line, comments=True)
        path = "notes.md" if "notes.md" in text else "cart.py"
        call = {"name": "write_file", "args": {"path": path, "content": "total = 1\n"}}
        if command == "edit":
            scenario.write_text(json.dumps([{"tool_calls": [call]}, {"text": "done"}]))
            (tmp_path / path).unlink(missing_ok=True)
        ended = mcode([command, *text], tmp_path, LLC_MODEL=f"scripted/{scenario}")
        codes.append(ended.returncode)
        message.append(ended.stdout)
        assert (tmp_path / path).exists() == (ended.returncode == 0)
    assert codes == [4, 0, 0, 0]
    assert json.loads(message[-1])["files"] == [{"path": "notes.md", "kind": "added"}]


def test_undo_page_commands_work_as_documented(tmp_path: Path) -> None:
    (tmp_path / ".llc.yaml").write_text("task: {test_command: test -f made.txt}\n")
    write = {"name": "run_command", "args": {"command": "echo done > made.txt"}}
    turns = {
        "architect": [{"text": "SMALL"}],
        "coder": [{"tool_calls": [write]}, {"text": "It is made."}, {"text": "It is short."}],
        "tester": [{"text": "Accepted."}],
    }
    (tmp_path / "scenario.json").write_text(json.dumps(turns))
    model = f"scripted/{tmp_path / 'scenario.json'}"
    task = ["task", "Make it", "--trust", "--model", model, "--mode", "auto", "--apply"]
    mcode(task, tmp_path)
    made = tmp_path / "made.txt"
    there = {"undo": False, "redo": True}
    for line in block("docs/undo.md", "sh").splitlines():
        _, *text = shlex.split(line, comments=True)
        yes = ["--yes"] if text[0] in there or "--to" in text else []
        ended = mcode([*text, *yes], tmp_path)
        assert ended.returncode == 0, ended.stderr
        assert made.exists() == there.get(text[0], True)
        if text == ["threads", "tree"]:
            assert len(ended.stdout.splitlines()) > 1


def test_the_sandbox_page_s_settings_are_set(tmp_path: Path) -> None:
    lines = block("docs/sandbox.md", "sh").splitlines()
    for line in lines:
        if "config" in line:
            assert mcode(shlex.split(line, comments=True)[1:], tmp_path).returncode == 0, line
    stdout = mcode(["config", "get", "sandbox.writable"], tmp_path).stdout
    assert "~/.cache/go-build" in stdout


def test_permissions_page_calls_get_documented_verdicts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("LC_ALL", "C")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "home").mkdir()
    (tmp_path / "home/config.yaml").write_text(block("docs/permissions.md", "yaml"))
    result, expected = [], []
    for line in block("docs/permissions.md", "sh").splitlines():
        call, _, verdict = line.rpartition(" # ")
        stdout = CliRunner().invoke(app, shlex.split(call)[1:], catch_exceptions=False).stdout
        expected.append((call, verdict))
        result.append((call, stdout.partition(":")[0]))
    assert result == expected


def test_trust_page_commands_work_as_documented(tmp_path: Path) -> None:
    lines = [
        shlex.split(line, comments=True)[1:] for line in block("docs/trust.md", "sh").splitlines()
    ]
    codes = [mcode([*line], tmp_path).returncode for line in (*lines, ["trust", "--yes"])]
    assert codes == [4, 0, 0, 0]


def test_agents_page_commands_work_and_agent_is_valid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    for line in block("docs/agents.md", "sh").splitlines():
        part = shlex.split(line, comments=True)[1:]
        assert CliRunner().invoke(app, part, catch_exceptions=False).exit_code == 0, line
    own = tmp_path / "home/agents/reviewer.md"
    own.write_text(block("docs/agents.md", "markdown"))
    result = CliRunner().invoke(app, ["agents", "validate", str(own)])
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "Checked 1: no problems.\n")
    keys = re.findall(r"^\| `(\w+)` \|", (ROOT / "docs/agents.md").read_text("utf-8"), re.MULTILINE)
    assert keys == [*KEYS]


def test_skills_page_commands_work_and_skill_is_valid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    for line in block("docs/skills.md", "sh").splitlines():
        part = shlex.split(line, comments=True)[1:]
        assert CliRunner().invoke(app, part, catch_exceptions=False).exit_code == 0, line
    own = tmp_path / "home/skills/release-notes/SKILL.md"
    own.write_text(block("docs/skills.md", "markdown"))
    result = CliRunner().invoke(app, ["skills", "validate", str(own)])
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", "Checked 1: no problems.\n")


def test_the_commands_pages_command_says_what_it_says(tmp_path: Path) -> None:
    own = tmp_path / "home" / "commands" / "audit.md"
    own.parent.mkdir(parents=True)
    own.write_text(block("docs/commands.md", "markdown"))
    (command,) = load_custom_commands(
        tmp_path, tmp_path / "home", check_trust(tmp_path, tmp_path)
    ).values()
    assert (command.description, command.agent) == ("Audit a change", "explore")
    assert (command.argument_hint, command.notes) == ("[FILE] [WHAT]", ())
    kinds = {
        piece.kind: piece.text for piece in expand_prompt(command.prompt, 'cart.py "the totals"')
    }
    assert kinds["shell"] == "set -- cart.py 'the totals'; git diff -- \"$1\""
    assert kinds["file"] == "AGENTS.md"


def test_commands_page_lines_work_as_documented(tmp_path: Path) -> None:
    (tmp_path / "scenario.json").write_text(json.dumps([{"text": "Well."}]))
    model = f"scripted/{tmp_path / 'scenario.json'}"
    for line in block("docs/commands.md", "sh").splitlines():
        ended = mcode(shlex.split(line, comments=True)[1:], tmp_path, LLC_MODEL=model)
        assert ended.returncode == 0, ended.stderr
        assert "Well." in ended.stdout or "commands list" in line


def test_plan_page_carries_a_plan_out(tmp_path: Path) -> None:
    (tmp_path / "scenario.json").write_text(json.dumps([{"text": "Carried out."}]))
    plans = tmp_path / ".llc" / "plans"
    plans.mkdir(parents=True)
    (plans / "20261122-090807-split-the-parser.md").write_text("# Split the parser\n")
    model = f"scripted/{tmp_path / 'scenario.json'}"
    names: list[str] = []
    for line in block("docs/plan.md", "sh", 1).splitlines():
        ended = mcode(shlex.split(line, comments=True)[1:], tmp_path, LLC_MODEL=model)
        assert ended.returncode == 0, (line, ended.stderr)
        names.append(ended.stdout)
    assert "Split the parser" in names[0]
    assert names[1:] == ["# Split the parser\n", "Carried out.\n"]


def test_threads_page_commands_work_as_documented(tmp_path: Path) -> None:
    (tmp_path / "scenario.json").write_text(json.dumps([{"text": "I round the cart."}]))
    model = f"scripted/{tmp_path / 'scenario.json'}"
    result = mcode(["chat", "Round the cart", "--model", model, "--trust"], tmp_path)
    assert result.returncode == 0, result.stderr
    thread = json.loads(mcode(["threads", "list", "--json"], tmp_path).stdout)[0]["thread_id"]
    (location := tmp_path / "place").mkdir()
    for line in block("docs/threads.md", "sh").splitlines():
        line = line.replace("3f2a", thread[:8]).replace("~/new/place", str(location))
        part = shlex.split(line, comments=True)[1:]
        ended = mcode([*part], tmp_path)
        assert ended.returncode == 0, (line, ended.stderr)
        if part[1] in ("list", "show"):
            assert "Round the cart" in ended.stdout
    rows = json.loads(mcode(["threads", "list", "--json"], tmp_path).stdout)
    assert [(row["status"], row["thread_id"] != thread) for row in rows] == [("idle", True)]


@pytest.mark.parametrize("mode", ["auto", "off"])
def test_demo_ends_verified_with_and_without_sandbox(mode: str, tmp_path: Path) -> None:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environ = {"MAXAGENT_SANDBOX__MODE": mode, "TMPDIR": str(tmp_path), "PATH": path}
    ended = subprocess.run(
        ["sh", str(ROOT / "docs/demo/run.sh")],
        cwd=tmp_path,
        env={**os.environ, "MAXAGENT_HOME": str(tmp_path / "home"), **environ},
        capture_output=True,
        text=True,
        timeout=100,
    )
    assert ended.returncode == 0, ended.stderr
    assert "verified: 3 passed" in ended.stderr


def test_the_hooks_of_their_page_run(tmp_path: Path) -> None:
    config = block("docs/hooks.md", "yaml").replace("ruff check --quiet", "head -c 3")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "config.yaml").write_text(config)
    push = {"name": "run_command", "args": {"command": "git push --force"}}
    write = {"name": "write_file", "args": {"path": "CHANGES.md", "content": "new\n"}}
    turns = [{"tool_calls": [push]}, {"text": "Done."}, {"tool_calls": [write]}, {"text": "Now."}]
    (tmp_path / "scenario.json").write_text(json.dumps(turns))
    options = ["--model", f"scripted/{tmp_path / 'scenario.json'}", "--mode", "auto"]
    ended = mcode(["-p", "Publish it", *options, "--output", "stream-json"], tmp_path)
    events = [json.loads(line) for line in ended.stdout.splitlines()]
    assert (ended.returncode, events[-1]["summary"]) == (0, "Now.")
    hooks = [(event["event"], event["outcome"]) for event in events if event["type"] == "hook"]
    assert hooks == [
        ("on_session_start", "passed"), ("before_tool", "refused"), ("on_stop", "refused"),
        ("after_tool", "passed"), ("on_stop", "passed"),
    ]  # fmt: skip
    results = [event for event in events if event["type"] == "tool_result"]
    assert "never push by force" in results[0]["error"]
    assert not shutil.which("jq") or results[1]["output"].endswith("says:\nnew")
