"""The files that define servers: the user's, and those of a trusted project."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from maxagent.config.trust.decision import check_trust, trust
from maxagent.tools.mcp.config_files import McpConfiguration, load_configuration, load_servers
from maxagent.tools.mcp.server_config import McpServer


@dataclass(frozen=True)
class Place:
    root: Path
    home: Path
    environ: dict[str, str]

    def write(self, path: str, content: object) -> None:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))

    def write_user(self, content: object) -> None:
        file = Path(self.environ["XDG_CONFIG_HOME"]) / "maxagent" / "mcp_servers.json"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content if isinstance(content, str) else json.dumps(content))

    def load(self) -> McpConfiguration:
        return load_configuration(self.root, self.home, environ=self.environ)

    def problems(self) -> dict[str, str]:
        return {server.name: server.problem for server in self.load().servers}


@pytest.fixture
def world(tmp_path: Path) -> Place:
    (tmp_path / "shop").mkdir()
    environ = {"XDG_CONFIG_HOME": str(tmp_path / "config"), "TOKEN": "t1"}
    return Place(tmp_path / "shop", tmp_path / "home", environ)


ONE = {"a": {"command": "x"}}


@pytest.mark.parametrize(
    "path", [".mcp.json", "mcp.json", ".llc/mcp.json", ".cursor/mcp.json", ".vscode/mcp.json"]
)
@pytest.mark.parametrize("shape", ["servers", "mcpServers"])
def test_each_file_of_a_trusted_project_counts(world: Place, path: str, shape: str) -> None:
    world.write(path, {shape: ONE, "inputs": []})
    trust(world.root, world.home)
    (server,) = world.load().servers
    assert (server.name, server.problem, server.from_project) == ("a", "", True)
    assert server.source == str(world.root / path)


def test_a_server_of_an_untrusted_project_has_a_problem(world: Place) -> None:
    world.write(".mcp.json", {"mcpServers": {"a": {"url": "https://x/${TOKEN}"}}})
    (server,) = world.load().servers
    assert server.problem == "its folder is not trusted: run `mcode trust`"
    assert "t1" not in server.url


def test_a_changed_file_ends_the_trust(world: Place) -> None:
    world.write(".mcp.json", {"mcpServers": ONE})
    trust(world.root, world.home)
    world.write(".mcp.json", {"mcpServers": {"a": {"command": "y"}}})
    assert world.problems() == {"a": "its folder has changed: run `mcode trust`"}


def test_a_file_changed_after_the_check_is_not_read(world: Place) -> None:
    world.write(".mcp.json", {"mcpServers": ONE})
    trust(world.root, world.home)
    output = check_trust(world.root, world.home)
    world.write(".mcp.json", {"mcpServers": {"a": {"command": "y"}}})
    configuration = load_configuration(world.root, world.home, output, environ=world.environ)
    assert configuration.servers == ()
    assert "changed while it was read" in configuration.files[0].problem


def test_of_one_name_the_users_server_wins(world: Place) -> None:
    world.write_user({"servers": {"a": {"command": "mine"}}})
    world.write(".mcp.json", {"mcpServers": {"a": {"command": "theirs"}, "b": {"command": "x"}}})
    trust(world.root, world.home)
    data = world.load()
    assert [(server.name, server.command) for server in data.servers] == [
        ("a", "mine"),
        ("b", "x"),
    ]
    assert [server.command for server in data.shadowed] == ["theirs"]


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("{", "it is not JSON: line 1: "),
        ('{"servers": {"a": sk-secret}}', "it is not JSON: line 1: "),
        ("[]", "it is not a JSON object"),
        ('{"other": 1}', "it has neither `servers` nor `mcpServers`"),
        ('{"servers": []}', "its `servers` is not a JSON object"),
        ("[" * 100_000, "it is not JSON: it nests too deep"),
    ],
)
def test_a_wrong_file_leaves_the_others(world: Place, content: str, problem: str) -> None:
    world.write_user(content)
    world.write(".mcp.json", {"mcpServers": ONE})
    trust(world.root, world.home)
    data = world.load()
    assert [server.name for server in data.servers] == ["a"]
    assert data.files[0].problem.startswith(problem)
    assert "sk-secret" not in data.files[0].problem


def test_a_wrong_entry_leaves_the_others(world: Place) -> None:
    world.write_user({"servers": {"a": 3, "b": {"url": "https://x/${NONE}"}, **{"c": ONE["a"]}}})
    assert world.problems() == {
        "a": "its definition is not a JSON object",
        "b": "the variable `NONE` is not set",
        "c": "",
    }


@pytest.mark.parametrize("content", ["", "{}", '{"servers": {}}', "\ufeff{}"])
def test_an_empty_file_has_no_servers(world: Place, content: str) -> None:
    world.write_user(content)
    data = world.load()
    assert (data.servers, data.files[0].problem) == ((), "")


def test_comments_of_vs_code_are_read(world: Place) -> None:
    world.write(".vscode/mcp.json", '// mine\n{"servers": {"a": {"command": "x",},},}')
    trust(world.root, world.home)
    assert world.problems() == {"a": ""}


def test_a_link_to_outside_is_a_problem(world: Place, tmp_path: Path) -> None:
    (tmp_path / "outside.json").write_text(json.dumps({"servers": ONE}))
    (world.root / "mcp.json").symlink_to(tmp_path / "outside.json")
    data = world.load()
    assert data.servers == ()
    assert data.files[0].problem


def test_without_files_there_are_no_servers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert load_servers(tmp_path, tmp_path) == ()
    assert load_servers(None, tmp_path) == ()


def test_a_clients_server_needs_trust_and_a_free_name(world: Place) -> None:
    world.write_user({"servers": ONE})
    servers = [McpServer(name, "stdio", command="y", source="ACP") for name in ("a", "b")]

    def load() -> list[tuple[str, str, str]]:
        loaded = load_configuration(
            world.root, world.home, environ=world.environ, client_servers=servers
        )
        return [(server.name, server.command, server.problem) for server in loaded.servers]

    untrusted = "its folder is not trusted: run `mcode trust`"
    assert load() == [("a", "x", ""), ("b", "y", untrusted)]
    trust(world.root, world.home)
    assert load() == [("a", "x", ""), ("b", "y", "")]
