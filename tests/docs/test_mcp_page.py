"""docs/mcp.md: its commands and its file work as they are written."""

import json
import os
import re
import shlex
from pathlib import Path

import pytest
from mcp_place import Place
from typer.main import get_command
from warm_start import LANG, run_mcode

from maxagent.cli.app import app
from maxagent.cli.commands.mcp.editing import build_definition, join_command
from maxagent.tools.mcp.config_files import SHAPES, read_entries
from maxagent.tools.mcp.server_parser import DEFINING_KEYS, parse_server
from maxagent.tools.mcp.variables import Variables

PAGE = (Path(__file__).parents[2] / "docs" / "mcp.md").read_text(encoding="utf-8")
SHELL = "".join(re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL))
(FILE,) = re.findall(r"```json\n(.*?)```", PAGE, re.DOTALL)
OTHER_KEYS = {"name", "transport", "disabled", "httpUrl", "serverUrl"}
ADDED = [line for line in SHELL.splitlines() if " add " in line]


@pytest.mark.parametrize("line", ADDED)
def test_each_example_of_add_is_a_definition(line: str) -> None:
    part = shlex.split(line, comments=True)[3:]
    command = get_command(app).commands["mcp"].commands["add"]
    params = command.make_context("add", part).params
    target = join_command(params["target"] or [], params["command"], params["arg"] or [])
    definition = build_definition(
        target, params["transport"], params["header"] or [], params["env"] or []
    )
    variables = Variables({"GITHUB_TOKEN": "t1", "PGPASSWORD": "t2"}, None)
    server = parse_server(params["name"], definition, variables, source="", from_project=False)
    assert server.problem == ""


def test_the_file_defines_servers() -> None:
    entries = read_entries(FILE.encode())
    variables = Variables({"GITHUB_TOKEN": "t1"}, None)
    servers = [
        parse_server(name, entry, variables, source="", from_project=False)
        for name, entry in entries.items()
    ]
    assert [(server.transport, server.problem) for server in servers] == [
        ("http", ""),
        ("stdio", ""),
    ]
    assert {*SHAPES} <= {*re.findall(r"`(\w+)`", PAGE)}
    rows = re.findall(r"^\| (`[a-z_`, ]+) \|", PAGE, re.MULTILINE)
    keys = {key for row in rows for key in re.findall(r"`(\w+)`", row)}
    assert keys & DEFINING_KEYS == DEFINING_KEYS - OTHER_KEYS
    assert {"connect_timeout", "call_timeout", "oauth"} <= keys


def test_each_command_exists() -> None:
    matches = {*re.findall(r"`mcode mcp (\w+)", PAGE)}
    group = get_command(app).commands["mcp"].commands
    assert matches <= {*group}
    assert {*group} == matches
    options = {
        option for command in group.values() for param in command.params for option in param.opts
    }
    rows = "".join(re.findall(r"^\| `mcode mcp .*", PAGE, re.MULTILINE))
    matches = {*re.findall(r"`(--\w[\w-]*)", rows)}
    assert {"--header", "--env", "--no-test"} <= matches <= options


def test_what_list_says_is_in_the_table(tmp_path: Path) -> None:
    location = Place(tmp_path)
    location.write_user({"a": {"command": "${NOT_SET_HERE}"}})
    location.write_project({"b": {"command": "x"}})
    stdout = location("list").stdout
    location.file.write_text(json.dumps({"servers": {}}, indent=1) + "\n]")
    stdout += location("list", "--no-test").stderr
    assert "the variable `NOT_SET_HERE` is not set" in stdout
    assert "its folder is not trusted" in stdout
    assert "it is not JSON: line 4: " in stdout


def test_the_call_is_asked_as_it_says(tmp_path: Path) -> None:
    (line,) = [line for line in SHELL.splitlines() if " permissions " in line]
    command, _, decision = line.partition("#")
    ended = run_mcode(shlex.split(command)[1:], tmp_path, {**os.environ, "LC_ALL": LANG})
    assert ended.stdout.startswith(decision.strip())
