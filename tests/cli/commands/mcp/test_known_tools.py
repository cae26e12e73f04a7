"""Tools of servers in `mcode tools`: read from the definitions that are known, asked of nobody."""

import json
import subprocess
from pathlib import Path

import pytest
from mcp_place import Place
from warm_start import run_mcode

from maxagent.tools.mcp.config_files import load_servers
from maxagent.tools.mcp.definition import ServerDefinitions, ToolDefinition
from maxagent.tools.mcp.definition_cache import keep_definitions

SCHEMA = {"type": "object", "properties": {"text": {"type": "string"}}}
LOG = ToolDefinition("git", "log", "Show\u202e commits. Of a branch.", SCHEMA)


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
