"""`mcode mcp list`, `test`, `tools` and `config`, without a connection."""

import json
import sys
from pathlib import Path

import pytest
from mcp_place import Place
from terminal import Terminal


@pytest.fixture
def world(tmp_path: Path) -> Place:
    return Place(tmp_path)


SECRET = "aB3dE5gH7jK9mN1pQ"
TWO = {
    "near": {"command": "npx", "args": ["-y", "x"], "env": {"LEVEL": SECRET}},
    "far": {"url": "https://x/mcp", "headers": {"Authorization": SECRET}, "enabled": False},
}


def test_without_servers_the_way_is_shown(world: Place) -> None:
    ended = world("list")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert "mcode mcp add NAME URL" in ended.stderr


def test_servers_are_a_table(world: Place) -> None:
    world.write_user(TWO)
    ended = world("list", "--no-test")
    title, header, *rows = ended.stdout.splitlines()
    assert (title, ended.stderr) == ("MCP Servers", "")
    assert header.split() == ["Name", "Type", "URL/Command", "Status", "Connection"]
    assert [row.split() for row in rows] == [
        ["far", "http", "https://x/mcp", "Disabled", "-"],
        ["near", "stdio", "npx", "-y", "x", "Enabled", "-"],
    ]


@pytest.mark.parametrize("arguments", [("-v",), ("--json",), ("-v", "--json")])
def test_details_name_what_is_secret(world: Place, arguments: tuple[str, ...]) -> None:
    world.write_user(TWO)
    ended = world("list", "--no-test", *arguments)
    assert "LEVEL" in ended.stdout and "Authorization" in ended.stdout
    assert str(world.file) in ended.stdout
    assert SECRET not in ended.stdout + ended.stderr


def test_json_has_all_servers(world: Place) -> None:
    world.write_user(TWO)
    far, near = json.loads(world("list", "--no-test", "--json").stdout)
    assert (far["name"], far["type"], far["enabled"]) == ("far", "http", False)
    assert (near["command"], near["args"], near["connection"]) == ("npx", ["-y", "x"], None)


def test_a_server_with_a_problem_is_listed_with_it(world: Place) -> None:
    world.write_user({"a": {"command": "${NOT_SET_HERE}"}, "b": 3})
    ended = world("list")
    assert "Not used: the variable `NOT_SET_HERE` is not set" in ended.stdout
    assert "Not used: its definition is not a JSON object" in ended.stdout
    assert ended.stderr == ""


def test_a_wrong_file_is_named(world: Place) -> None:
    world.file.parent.mkdir(parents=True)
    world.file.write_text("{")
    ended = world("list", "--no-test")
    assert (ended.returncode, ended.stdout) == (0, "")
    assert f"{world.file} is not used: it is not JSON: line 1" in ended.stderr


def test_an_untrusted_server_is_never_started(world: Place) -> None:
    mark = world.project / "started"
    world.write_project({"a": {"command": "touch", "args": [str(mark)]}})
    entries = world("list")
    assert "Not used: its folder is not trusted: run `mcode trust`" in entries.stdout
    tested = world("test", "a")
    assert (tested.returncode, "not trusted" in tested.stdout) == (1, True)
    assert world("tools", "a").returncode == 1
    assert not mark.exists()


def test_a_hidden_server_is_named(world: Place) -> None:
    world.write_user({"a": {"command": "mine"}})
    world.write_project({"a": {"command": "theirs"}})
    ended = world("list", "--no-test")
    assert "mine" in ended.stdout and "theirs" not in ended.stdout
    assert f"`a` in {world.project / '.mcp.json'} is not used" in ended.stderr


@pytest.mark.parametrize("command", ["test", "tools", "enable", "disable", "remove"])
def test_an_unknown_name_shows_names_like_it(world: Place, command: str) -> None:
    world.write_user(TWO)
    ended = world(command, "neat")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert "did you mean `near`?" in ended.stderr


def test_the_configuration_is_printed_without_secrets(world: Place) -> None:
    world.write_user(TWO)
    headers = {"Authorization": "Bearer ${TOKEN_FOR_TESTS}"}
    world.write_project({"c": {"url": "https://y?key=" + SECRET, "headers": headers}})
    ended = world("config")
    servers = json.loads(ended.stdout)["servers"]
    assert [*servers] == ["c", "far", "near"]
    assert servers["near"]["env"] == {"LEVEL": "***"}
    assert servers["c"]["headers"] == headers
    assert SECRET not in ended.stdout
    assert str(world.file) in ended.stderr and ".mcp.json" in ended.stderr


LONG = {
    "tracker": {
        "command": "npx",
        "args": ["-y", "@acme/tracker-server@1.2.3", "--project", "the-shop-of-the-company"],
        "env": {"TRACKER_API_TOKEN": "${TRACKER_API_TOKEN}", "TRACKER_BASE_URL": "https://x"},
        "enabled": False,
    },
    "docs": {
        "url": "https://mcp.example.com/a/long/path/v1",
        "headers": {"X-Team-Name-Of-The-Header": "a", "Authorization": "Bearer ${DOCS_TOKEN}"},
        "enabled": False,
    },
}


@pytest.mark.parametrize("columns", [50, 64, 80, 100, 200])
def test_terminal_cuts_no_details(world: Place, columns: int) -> None:
    world.write_user(LONG)
    names = [sys.executable, "-m", "maxagent", "mcp", "list", "-v", "--no-test"]
    with Terminal(names, world.project, world.environ, columns=columns) as terminal:
        assert terminal.end() == 0
    expected = (
        "@acme/tracker-server@1.2.3 the-shop-of-the-company TRACKER_API_TOKEN=${TRACKER_API_TOKEN} "
        "TRACKER_BASE_URL https://mcp.example.com/a/long/path/v1 X-Team-Name-Of-The-Header "
        "Authorization=Bearer ${DOCS_TOKEN}"
    )
    assert [word for word in expected.split() if word not in terminal.shown] == []
