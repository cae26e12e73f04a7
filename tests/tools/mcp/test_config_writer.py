"""Changes of one server in a file of servers."""

import json
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from maxagent.config.errors import UsageError
from maxagent.tools.mcp.config_writer import add_server, enable_server, remove_server, suggest_names

NEW = {"type": "stdio", "command": "x"}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "config" / "mcp_servers.json"


def write(file: Path, content: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content if isinstance(content, str) else json.dumps(content))


def read(file: Path) -> Any:
    return json.loads(file.read_text())


def test_a_new_file_is_private(file: Path) -> None:
    add_server(file, "a", NEW, replace=False)
    assert read(file) == {"servers": {"a": NEW}}
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_a_new_file_of_a_project_is_for_all(tmp_path: Path) -> None:
    add_server(tmp_path / ".mcp.json", "a", NEW, replace=False, project=tmp_path)
    assert read(tmp_path / ".mcp.json") == {"mcpServers": {"a": NEW}}
    assert stat.S_IMODE((tmp_path / ".mcp.json").stat().st_mode) == 0o644


@pytest.mark.parametrize("shape", ["servers", "mcpServers"])
def test_what_is_unknown_stays(file: Path, shape: str) -> None:
    write(file, {"$schema": "s", shape: {"b": {"command": "y", "more": [1]}}, "inputs": [2]})
    add_server(file, "a", NEW, replace=False)
    assert read(file) == {
        "$schema": "s",
        shape: {"b": {"command": "y", "more": [1]}, "a": NEW},
        "inputs": [2],
    }


def test_a_taken_name_is_refused(file: Path) -> None:
    write(file, {"mcpServers": {"a": {"command": "old"}}})
    before = file.read_bytes()
    with pytest.raises(UsageError) as raised:
        add_server(file, "a", NEW, replace=False)
    assert "--force" in raised.value.hint
    assert file.read_bytes() == before


def test_a_replaced_server_keeps_other_keys(file: Path) -> None:
    write(file, {"mcpServers": {"a": {"url": "https://x", "call_timeout": 5, "disabled": True}}})
    add_server(file, "a", NEW, replace=True)
    assert read(file) == {"mcpServers": {"a": {**NEW, "call_timeout": 5}}}


def test_a_server_is_disabled_enabled_and_removed(file: Path) -> None:
    write(
        file, {"servers": {"a": {"command": "x", "disabled": False, "isActive": False}, "b": NEW}}
    )
    enable_server(file, "a", enabled=False)
    assert read(file)["servers"]["a"] == {"command": "x", "enabled": False}
    enable_server(file, "a", enabled=True)
    assert read(file)["servers"]["a"] == {"command": "x", "enabled": True}
    remove_server(file, "a")
    assert read(file) == {"servers": {"b": NEW}}


def test_an_unknown_server_is_refused(file: Path) -> None:
    with pytest.raises(UsageError):
        remove_server(file, "a")
    assert not file.exists()


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ('{"servers": ', "it is not JSON"),
        ('{"servers": []}', "not a JSON object"),
        ('{"other": {}}', "neither"),
        ('// mine\n{"servers": {}}', "comments"),
    ],
)
def test_a_file_is_not_damaged(file: Path, content: str, problem: str) -> None:
    write(file, content)
    with pytest.raises(UsageError, match=problem):
        add_server(file, "a", NEW, replace=True)
    assert file.read_text() == content


def test_a_linked_file_stays_a_link(file: Path, tmp_path: Path) -> None:
    write(tmp_path / "dotfiles.json", {"servers": {}})
    file.parent.mkdir()
    file.symlink_to(tmp_path / "dotfiles.json")
    add_server(file, "a", NEW, replace=False)
    assert file.is_symlink()
    assert read(tmp_path / "dotfiles.json") == {"servers": {"a": NEW}}


def test_a_link_out_of_a_project_is_refused(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    write(tmp_path / "outside.json", {"servers": {}})
    (project / ".mcp.json").symlink_to(tmp_path / "outside.json")
    with pytest.raises(UsageError, match="link to outside"):
        add_server(project / ".mcp.json", "a", NEW, replace=False, project=project)
    assert read(tmp_path / "outside.json") == {"servers": {}}


def test_changes_at_the_same_time_all_count(file: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        for _ in pool.map(
            lambda number: add_server(file, f"s{number}", NEW, replace=False), range(24)
        ):
            pass
    assert len(read(file)["servers"]) == 24


def test_a_file_that_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("")
    with pytest.raises(UsageError):
        add_server(tmp_path / "taken" / "f.json", "a", NEW, replace=False)


def test_names_that_are_near_are_suggested() -> None:
    assert "`github`" in suggest_names("gitub", ["github", "time"])
    assert "mcode mcp list" in suggest_names("x", ["github"])
