"""The door for calling tools by hand, as a process of its own."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from confinement import SURROUNDINGS
from mcp_place import Place
from terminal import READY, Terminal
from warm_start import LANG, run_mcode, start_python

from maxagent.tools.mcp.config_files import load_servers
from maxagent.tools.mcp.definition import ServerDefinitions, ToolDefinition
from maxagent.tools.mcp.definition_cache import keep_definitions

ENVIRON = {"PATH": os.environ["PATH"], "LANG": LANG, **SURROUNDINGS}

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}
LOG = ToolDefinition("git", "log", "Show\u202e commits. Of a branch.", SCHEMA)


class Door:
    """A project and `mcode tools` in it."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "project"
        self.root.mkdir()
        (self.root / ".env").write_text("SECRET=1\n")
        (self.root / "a.txt").write_text("one\n")
        self.environ = {**ENVIRON, "MAXAGENT_HOME": str(folder / "home")}

    def __call__(self, *arguments: str, stdin: bytes = b"") -> subprocess.CompletedProcess[bytes]:
        argv = ["tools", *arguments]
        ended = run_mcode(argv, self.root, self.environ, stdin)
        output = (ended.stdout.encode(), ended.stderr.encode())
        return subprocess.CompletedProcess(argv, ended.returncode, *output)

    def lines(self, *lines: object, mode: str = "ask", yes: bool = False) -> list[dict[str, Any]]:
        data = [line if isinstance(line, bytes) else json.dumps(line).encode() for line in lines]
        options = ["--mode", mode, *(["--yes"] if yes else [])]
        done = self("call", "--stdin", *options, stdin=b"\n".join(data))
        assert (done.returncode, done.stderr) == (0, b"")
        return [json.loads(line) for line in done.stdout.splitlines()]

    def answer(self, key: str, tool: str, args: object) -> tuple[int, str]:
        """Call with a terminal to answer at; return the exit code and what was shown there."""
        argv = [sys.executable, "-m", "maxagent", "tools", "call", tool, json.dumps(args)]
        with Terminal(argv, self.root, {**self.environ, "NO_COLOR": "1"}) as terminal:
            terminal.until(READY)
            ended = terminal.type(key).end()
        return ended, re.sub(r"\x1b\[[0-9;]*m|\r", "", terminal.shown)


@pytest.fixture
def door(tmp_path: Path) -> Door:
    return Door(tmp_path)


def call(tool: str, **args: object) -> dict[str, object]:
    return {"tool": tool, "args": args}


def test_tools_are_listed_and_shown(door: Door) -> None:
    data = json.loads(door("list", "--json").stdout)
    assert {"name": "run_command", "effect": "execute"}.items() <= next(
        tool.items() for tool in data if tool["name"] == "run_command"
    )
    text = door("show", "bash").stdout.decode()
    assert text.startswith(
        "run_command (execute)\naliases: execute_command, bash, shell, run_shell_command\n"
    )
    assert '"cwd": {' in text
    assert door("show", "nonsense").returncode == 2


@pytest.mark.parametrize(
    ("arguments", "code", "stdout", "stderr"),
    [
        (["ls", "{}"], 0, b"a.txt\n", b""),
        (["bash", '{"cmd": "printf hi"}', "--mode", "auto"], 0, b"hi\n", b""),
        (["bash", '{"cmd": "printf hi"}', "--yes"], 0, b"hi\n", b""),
        (["bash", '{"cmd": "echo x; exit 3"}', "--yes"], 1, b"x\n", b"error: exit code 3\n"),
        (
            ["bash", '{"cmd": "cat .env"}', "--yes"],
            1,
            b"",
            b"error: Not allowed: it names `.env`",
        ),
        (
            ["bash", '{"cmd": "touch x"}'],
            4,
            b"",
            b"error: needs approval: `touch` can change files",
        ),
        (
            ["bash", '{"cmd": "x"}', "--mode", "read-only"],
            1,
            b"",
            b"error: Not allowed: in read-only mode a command",
        ),
        (["ask_user", '{"question": "?"}'], 4, b"", b"error: needs approval: it asks the user"),
        (["nonsense", "{}"], 2, b"", b"error: There is no tool `nonsense`."),
        (["mcp_git_log", "{}"], 2, b"", b"error: tools of MCP servers are called in threads only"),
        (["find_tools", "{}"], 2, b"", b"error: tools of MCP servers are called in threads only"),
        (["ls", "{"], 2, b"", b"error: the arguments are not a JSON object"),
        (["ls", "[]"], 2, b"", b"error: the arguments are not a JSON object: it is not an object"),
        ([], 2, b"", b"error: give a tool and its arguments, or --stdin"),
    ],
)
def test_one_call_and_its_exit_code(
    arguments: list[str], code: int, stdout: bytes, stderr: bytes, door: Door
) -> None:
    done = door("call", *arguments)
    assert (done.returncode, done.stdout) == (code, stdout)
    assert done.stderr.startswith(stderr)


@pytest.mark.parametrize(
    ("setting", "arguments", "code"),
    [
        ("", (), 4),
        ("mode: ask", (), 4),
        ("mode: edits", (), 0),
        ("mode: auto", (), 0),
        ("mode: read-only", (), 1),
        ("mode: read-only", ("--yes",), 1),
        ("mode: auto", ("--mode", "ask"), 4),
        ("mode: auto", ("--mode", "read-only"), 1),
        ("mode: read-only", ("--mode", "edits"), 0),
        ("require_confirmation: false", (), 0),
    ],
)
def test_call_follows_the_configured_mode(
    setting: str, arguments: tuple[str, ...], code: int, door: Door
) -> None:
    home = Path(door.environ["MAXAGENT_HOME"])
    home.mkdir()
    (home / "config.yaml").write_text(f"security: {{{setting}}}\n")
    written = json.dumps({"path": "made.txt", "content": "x\n"})
    assert door("call", "write_file", written, *arguments).returncode == code
    assert (door.root / "made.txt").exists() is (code == 0)


def test_output_cannot_steer_the_terminal(door: Door) -> None:
    (door.root / "b.txt").write_text("x")
    done = door("call", "list_files", json.dumps({"path": "\x1b[31m"}))
    assert (done.returncode, b"\x1b" in done.stderr) == (1, False)


def test_each_stdin_line_answered_with_its_decision(door: Door) -> None:
    made = {"command": "touch made"}
    replies = door.lines(call("ls"), {"tool": "bash", "args": made}, call("bash", cmd="cat .env"))
    verdicts = [(reply["ok"], reply["decision"]["verdict"]) for reply in replies]
    assert verdicts == [(True, "allow"), (False, "ask"), (False, "deny")]
    assert replies[1]["error"] == "needs approval: `touch` can change files; nothing was run"
    assert set(replies[0]) == {"ok", "output", "error", "decision", "metadata"}
    assert not (door.root / "made").exists()


def test_malformed_line_answered_and_next_line_too(door: Door) -> None:
    wrong = [b"{", b"[]", b"\xff", b"[" * 100_000, b'{"tool": 1}', b'{"tool": "ls", "args": []}']
    replies = door.lines(*wrong, call("nonsense"), call("ls", path=3), b"", call("ls"))
    assert [reply["ok"] for reply in replies] == [False] * 8 + [True]
    assert all(reply["error"].startswith("a call must be a JSON object") for reply in replies[:6])
    assert replies[6]["decision"] is None
    assert "`path`: Input should be a valid string" in replies[7]["error"]


def test_todos_and_stored_outputs_are_kept_between_lines(door: Door) -> None:
    replies = door.lines(
        call("todowrite", todos=["one", "two"]),
        call("todowrite", action="mark_completed", id="1"),
        call("todoread"),
        call("bash", command="seq 30000"),
        call("command_output", id="call_4", start_line=20_000, end_line=20_000),
        yes=True,
    )
    assert replies[2]["output"] == "1. [x] one\n2. [ ] two\n1 of 2 completed"
    assert replies[3]["metadata"]["output_file"] == "call_4"
    assert replies[4]["output"] == "20000\n"


def test_what_was_read_is_known_to_later_lines(door: Door) -> None:
    change = call("edit", path="a.txt", old_str="one", new_str="two")
    replies = door.lines(change, call("read", file_path="a.txt"), change, mode="edits")
    assert [reply["ok"] for reply in replies] == [False, True, True]
    assert (door.root / "a.txt").read_text() == "two\n"


def test_long_output_readable_by_next_call(door: Door) -> None:
    door("call", "run_command", '{"command": "seq 30000"}', "--yes")
    read = door("call", "command_output", '{"id": "call_1", "start_line": 30000}')
    assert read.stdout == b"30000\n"


def test_every_line_is_answered_at_once(door: Door) -> None:
    argv = ["-m", "maxagent", "tools", "call", "--stdin"]
    process = start_python(argv, door.root, door.environ, subprocess.PIPE)
    with process:
        assert process.stdin and process.stdout
        for _ in range(2):
            process.stdin.write('{"tool": "ls"}\n')
            process.stdin.flush()
            assert json.loads(process.stdout.readline())["output"] == "a.txt"
        process.stdin.close()
        assert process.wait() == 0


@pytest.mark.parametrize(("answer", "code", "made"), [("n", 1, False), ("y", 0, True)])
def test_at_a_terminal_a_call_is_asked(door: Door, answer: str, code: int, made: bool) -> None:
    ended, output = door.answer(answer, "bash", {"command": "touch made"})
    assert (ended, (door.root / "made").exists()) == (code, made)
    assert "$ touch made" in output


def test_edit_at_terminal_asks_with_its_diff(door: Door) -> None:
    ended, output = door.answer("y", "write_file", {"path": "b.txt", "content": "new\n"})
    assert (ended, (door.root / "b.txt").read_text()) == (0, "new\n")
    assert "b.txt  +1 −0\n    1 + new\n" in output


@pytest.mark.parametrize(
    ("options", "code", "content"),
    [
        (["--mode", "edits"], 4, b"one\n"),
        (["--mode", "edits", "--yes"], 0, b"TWO\n"),
        (["--mode", "auto"], 0, b"TWO\n"),
    ],
)
def test_post_edit_commands_ask_and_run_with_edit(
    door: Door, options: list[str], code: int, content: bytes
) -> None:
    (door.root / ".llc.yaml").write_text('after_edit: {"*.txt": ["sed -i s/two/TWO/ {file}"]}\n')
    line = json.dumps(call("read_file", path="a.txt")).encode()
    change = json.dumps(call("edit", file_path="a.txt", old_string="one", new_string="two"))
    done = door("call", "--stdin", "--trust", *options, stdin=line + b"\n" + change.encode())
    reply = json.loads(done.stdout.splitlines()[1])
    assert (door.root / "a.txt").read_bytes() == content
    if code:
        assert "`sed -i s/two/TWO/ a.txt`" in reply["error"]
    else:
        assert "+TWO" in reply["metadata"]["diff"] and reply["ok"]


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    world = Place(tmp_path)
    world.write_user({"git": {"command": "false"}, "off": {"command": "x", "enabled": False}})
    monkeypatch.setenv("XDG_CONFIG_HOME", str(world.config))
    for server in load_servers(None, world.home):
        keep_definitions(world.home, server, ServerDefinitions((LOG,)))
    return world


def run_tools(world: Place, *arguments: str) -> "subprocess.CompletedProcess[str]":
    return run_mcode(("tools", *arguments), world.project, world.environ)


def test_tools_of_enabled_servers_are_listed(world: Place) -> None:
    data = json.loads(run_tools(world, "list", "--json").stdout)
    assert [tool for tool in data if tool["name"].startswith("mcp_")] == [
        {"name": "mcp_git_log", "effect": "execute", "description": "[MCP:git] Show commits"}
    ]


def test_a_servers_tool_is_shown(world: Place) -> None:
    for name in ("mcp_git_log", "mcp__git__log"):
        stdout = run_tools(world, "show", name).stdout
        assert stdout.startswith("mcp_git_log (execute)\n[MCP:git] Show commits. Of a branch.\n")
        assert json.loads(stdout[stdout.index("{") :]) == SCHEMA


@pytest.mark.parametrize(
    ("name", "hint"),
    [("mcp_git_logs", "did you mean `mcp_git_log`?"), ("mcp_zzz", "`mcode mcp list` asks all")],
)
def test_an_unknown_tool_has_a_hint(world: Place, name: str, hint: str) -> None:
    ended = run_tools(world, "show", name)
    assert ended.returncode == 2
    assert f"no MCP server is known to have a tool `{name}`" in ended.stderr
    assert hint in ended.stderr
