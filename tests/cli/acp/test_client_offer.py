from pathlib import Path
from typing import Any

import pytest

from maxagent.cli.acp.client_offer import CLIENT, read_folders, read_servers, split_folders
from maxagent.cli.acp.frames import RpcError

STDIO = {"name": "a", "command": "/bin/x", "args": ["-y"], "env": [{"name": "K", "value": "${K}"}]}
HTTP = {
    "name": "b",
    "type": "http",
    "url": "https://example.org/mcp",
    "headers": [{"name": "Authorization", "value": "Bearer ${x}"}],
}


def test_servers_are_read_as_they_are_written() -> None:
    stdio, http = read_servers([STDIO, HTTP])
    assert (stdio.command, stdio.args, stdio.env) == ("/bin/x", ("-y",), {"K": "${K}"})
    assert (http.transport, http.url) == ("http", "https://example.org/mcp")
    assert http.headers == {"Authorization": "Bearer ${x}"}
    assert [(server.problem, server.source) for server in (stdio, http)] == [("", CLIENT)] * 2


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"type": "websocket"}, "its type `websocket` is unknown"),
        ({"command": 7}, "its `command` is not a text"),
        ({"command": " "}, "its definition has no `command`"),
        ({"args": "x"}, "its `args`"),
        ({"env": [{"name": "K", "value": []}]}, "its `env`"),
        ({"type": "sse", "url": "ftp://x"}, "its URL is not one of"),
        ({"name": "x" * 101}, "its name is empty, too long"),
    ],
)
def test_what_is_wrong_is_the_servers_problem(change: dict[str, Any], problem: str) -> None:
    [server] = read_servers([STDIO | change])
    assert problem in server.problem and not server.is_usable


@pytest.mark.parametrize(
    "values",
    [
        [STDIO, STDIO],
        [{**STDIO, "name": ""}],
        [{"command": "x"}],
        ["a"],
        [{**STDIO, "env": {"K": "v"}}],
        [{**STDIO, "env": [{"value": "v"}]}],
    ],
)
def test_what_is_no_list_of_servers_is_refused(values: list[object]) -> None:
    with pytest.raises(RpcError):
        read_servers(values)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("project/src", "other/deep", "user/.ssh", "user/work", "user/.maxagent/outputs"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "file").write_text("")
    (tmp_path / "link").symlink_to("other")
    (tmp_path / "keys").symlink_to("user/.ssh")
    monkeypatch.setenv("HOME", str(tmp_path / "user"))
    return tmp_path


@pytest.mark.parametrize(
    ("names", "folders"),
    [
        ([], []),
        (["other"], ["other"]),
        (["link", "other"], ["other"]),
        (["project/src", "project"], []),
        (["other/deep", "other"], ["other/deep", "other"]),
        (["other/../user/work"], ["user/work"]),
    ],
)
def test_folders_are_read(names: list[str], folders: list[str], world: Path) -> None:
    values = [f"{world}/{name}" for name in names]
    assert read_folders(values, world / "project") == tuple(world / name for name in folders)


@pytest.mark.parametrize("value", ["other", 7, None, "/no/such/folder", "~", {"path": "/"}])
def test_what_is_no_folder_is_an_error(value: object, world: Path) -> None:
    with pytest.raises(RpcError, match="must be absolute paths of folders"):
        read_folders([value], world / "project")
    with pytest.raises(RpcError, match="must be absolute paths of folders"):
        read_folders([f"{world}/file"], world / "project")


@pytest.mark.parametrize(
    ("name", "is_open"),
    [
        ("other", True),
        ("user/work", True),
        ("user", False),
        (".", False),
        ("user/.ssh", False),
        ("user/.maxagent", False),
        ("user/.maxagent/outputs", False),
    ],
)
def test_folders_with_keys_stay_closed(name: str, is_open: bool, world: Path) -> None:
    opened, closed = split_folders([world / name], world / "user/.maxagent")
    assert (bool(opened), bool(closed)) == (is_open, not is_open)
