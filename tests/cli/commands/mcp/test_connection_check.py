"""`mcode mcp list`, `test` and `tools` with servers that run."""

import json
import sys
from pathlib import Path

import pytest
from confinement import needs_bubblewrap
from mcp_place import Place

from maxagent.config.trust.decision import trust
from maxagent.tools.mcp.config_files import load_configuration
from maxagent.tools.mcp.definition_cache import read_definitions

SERVER = Path(__file__).parents[3] / "fixtures" / "mcp_servers" / "new_era_server.py"
ANSWERS = {"command": sys.executable, "args": [str(SERVER)]}
DIES = {"command": "sh", "args": ["-c", "echo no configuration >&2; exit 3"]}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


def test_all_servers_are_asked_at_once(place: Place) -> None:
    started = place.project / "started"
    place.write_user({
        "answers": ANSWERS,
        "dies": DIES,
        "gone": {"url": "http://127.0.0.1:9/mcp"},
        "none": {"command": "no-such-program"},
        "off": {"command": "touch", "args": [str(started)], "enabled": False},
    })  # fmt: skip
    ended = place("list", "--json")
    assert ended.stderr == "Testing server connections...\n"
    found = {server["name"]: server["connection"] for server in json.loads(ended.stdout)}
    assert found["answers"]["ok"] and "echo" in found["answers"]["tools"]
    assert found["dies"]["error"] == "it ended with exit code 3: no configuration"
    assert "127.0.0.1:9" in found["gone"]["error"]
    assert "no-such-program" in found["none"]["error"]
    assert found["off"] is None and not started.exists()
    kept = load_configuration(None, place.home, environ={"XDG_CONFIG_HOME": str(place.config)})
    definitions = read_definitions(place.home, kept.servers[0])
    assert definitions and found["answers"]["tools"] == [tool.name for tool in definitions.tools]


@needs_bubblewrap
def test_a_server_of_a_trusted_project_is_confined(place: Place) -> None:
    outside, inside = place.home.with_name("outside"), place.project / "inside"
    script = f"touch {inside} {outside}; exit 3"
    place.write_project({"a": {"command": "sh", "args": ["-c", script]}})
    trust(place.project, place.home)
    ended = place("test", "a")
    assert (ended.returncode, "exit code 3" in ended.stdout) == (1, True)
    assert "runs in the sandbox" in ended.stderr
    assert inside.exists() and not outside.exists()


def test_tools_are_shown_with_their_arguments(place: Place) -> None:
    place.write_user({"a": {**ANSWERS, "enabled": False}})
    ended = place("tools", "a")
    assert (ended.returncode, ended.stdout.startswith("a: OK (")) == (0, True)
    assert "\n  add(a, b)\n      " in ended.stdout
    assert "\U000e0041" not in ended.stdout
