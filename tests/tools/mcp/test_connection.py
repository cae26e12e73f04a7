"""Servers that misbehave: one clear line, nothing hangs, and nothing runs twice."""

import asyncio
import os
import shutil
import signal
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from confinement import FOUND, needs_bubblewrap

from maxagent.tools.mcp import connection as connection_module
from maxagent.tools.mcp.client import stdio_transport
from maxagent.tools.mcp.client.server_log import MAX_LOG_BYTES, get_log_path
from maxagent.tools.mcp.connection import McpConnection
from maxagent.tools.mcp.definition import ServerDefinitions
from maxagent.tools.mcp.definition_cache import read_definitions
from maxagent.tools.mcp.errors import McpError
from maxagent.tools.mcp.server_config import McpServer
from maxagent.tools.result import CallResult
from maxagent.tools.workspace import Workspace

SERVER = Path(__file__).parents[2] / "fixtures" / "mcp_servers" / "hostile.py"
Hostile = Callable[..., McpServer]


def find_servers(mark: Path) -> list[int]:
    """Find the servers whose command line has the mark."""
    numbers: list[int] = []
    for name in os.listdir("/proc"):
        try:
            line = Path(f"/proc/{name}/cmdline").read_bytes()
        except OSError:
            continue
        if f"{mark}".encode() in line and b"hostile.py" in line:
            numbers.append(int(name))
    return numbers


async def call(connection: McpConnection, name: str = "echo", text: str = "hi") -> str:
    result = await connection.call_tool(name, {"text": text})
    assert isinstance(result, CallResult)
    return "\n".join(result.output.splitlines()[2:-1])


@pytest.mark.parametrize(
    ("mode", "reason"),
    [
        ("broken", "it ended with exit code 7: ModuleNotFoundError: no module"),
        ("hang", "it did not answer within 1 s"),
        ("stubborn", "it did not answer within 1 s"),
    ],
)
async def test_a_server_that_cannot_start(
    hostile: Hostile, tmp_path: Path, mode: str, reason: str
) -> None:
    seconds = 30.0 if mode == "broken" else 1.0
    starts, server = tmp_path / "starts", hostile(mode, connect_timeout=seconds)
    script = 'echo x >> "$0"; exec "$@"'
    args = ("-c", script, str(starts), server.command, *server.args)
    connection = McpConnection(replace(server, command="sh", args=args), tmp_path)
    with pytest.raises(McpError) as caught:
        await call(connection)
    assert (caught.value.reason, caught.value.may_have_run) == (reason, False)
    assert str(caught.value) == f"the MCP server `{mode}` cannot be used: {reason}"
    assert (connection.status.state, connection.status.reason) == ("failed", reason)
    with pytest.raises(McpError, match="cannot be used"):  # it is not started again at once
        await call(connection)
    # one that ends may only want another first question
    assert starts.read_text() == ("x\nx\n" if mode == "broken" else "x\n")
    await connection.close()


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"command": "no-such-program"}, "exit code 127: no-such-program: not found"),
        ({"cwd": "/no/such/folder"}, "cannot start it: .*No such file"),
        ({"problem": "`TOKEN` is not set"}, "`TOKEN` is not set"),
        ({"from_project": True}, "only in the project's sandbox"),
    ],
)
async def test_a_wrong_definition_is_one_line(
    hostile: Hostile, tmp_path: Path, changes: dict[str, str], reason: str
) -> None:
    connection = McpConnection(replace(hostile("good"), **changes), tmp_path)
    with pytest.raises(McpError, match=reason) as caught:
        await connection.list_definitions()
    assert "\n" not in str(caught.value)
    await connection.close()


async def test_a_call_without_an_answer_ends(hostile: Hostile, tmp_path: Path) -> None:
    connection = McpConnection(hostile("deaf", call_timeout=0.5), tmp_path)
    with pytest.raises(McpError, match="no answer and no progress in 0.5 s") as caught:
        await call(connection)
    assert caught.value.may_have_run
    await connection.close()


async def test_a_message_without_end_ends_the_server(
    hostile: Hostile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(stdio_transport, "MAX_MESSAGE_BYTES", 2_000_000)
    connection = McpConnection(hostile("endless"), tmp_path)
    with pytest.raises(McpError, match="a message of more than 2 MB"):
        await call(connection)
    await connection.close()


@pytest.mark.slow
async def test_lines_without_end_end_the_server(hostile: Hostile, tmp_path: Path) -> None:
    connection = McpConnection(hostile("flooding"), tmp_path)
    with pytest.raises(McpError, match="it writes lines that are not messages"):
        await connection.list_definitions()
    await connection.close()


async def test_an_answer_that_breaks_the_protocol(hostile: Hostile, tmp_path: Path) -> None:
    connection = McpConnection(hostile("wrong"), tmp_path)
    with pytest.raises(McpError, match="its answer is wrong") as caught:
        await call(connection)
    assert caught.value.may_have_run
    await connection.close()


async def test_noise_goes_to_a_bounded_log(hostile: Hostile, tmp_path: Path) -> None:
    connection = McpConnection(hostile("noisy"), tmp_path)
    assert await call(connection, text="through") == "through"
    await connection.close()
    logs = list(get_log_path(tmp_path, "noisy").parent.iterdir())
    assert sum(log.stat().st_size for log in logs) <= 2 * MAX_LOG_BYTES + 300_000
    assert any(b"complaint of the server" in log.read_bytes() for log in logs)
    assert all(log.stat().st_mode & 0o777 == 0o600 for log in logs)


async def test_three_hundred_tools_are_listed(hostile: Hostile, tmp_path: Path) -> None:
    connection = McpConnection(hostile("many"), tmp_path)
    assert len((await connection.list_definitions()).tools) == 305
    await connection.close()


async def test_a_changed_definition_is_reported(hostile: Hostile, tmp_path: Path) -> None:
    server_definitions: list[ServerDefinitions] = []
    before = hostile("good")
    for args in (before.args, (*before.args[:-1], "changed")):
        server = replace(before, args=args)  # the same digest: another release of the same server
        connection = McpConnection(
            server, tmp_path, on_change=lambda _, new: server_definitions.append(new)
        )
        await connection.list_definitions()
        await connection.close()
    (new,) = server_definitions
    assert new.tools[0].description == "Say something else."
    assert read_definitions(tmp_path, before) == new


async def test_a_server_killed_while_idle_comes_back(hostile: Hostile, tmp_path: Path) -> None:
    connection = McpConnection(hostile("good", args=(str(SERVER), "good", str(tmp_path))), tmp_path)
    assert await call(connection) == "hi"
    await kill_server(tmp_path)
    while connection.status.state == "ready" and find_servers(tmp_path):
        await asyncio.sleep(0.01)
    assert await call(connection, text="back") == "back"
    await connection.close()
    assert not find_servers(tmp_path)


async def test_a_server_killed_in_a_call_is_not_asked_again(
    hostile: Hostile, tmp_path: Path
) -> None:
    connection = McpConnection(hostile("deaf", args=(str(SERVER), "deaf", str(tmp_path))), tmp_path)
    await connection.list_definitions()
    calls = [asyncio.create_task(call(connection)) for _ in range(3)]
    effects = tmp_path / "effects"
    while not effects.exists() or effects.read_text() != "heard\n" * 3:
        await asyncio.sleep(0.01)
    await kill_server(tmp_path)
    outcomes = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(outcome, McpError) and outcome.may_have_run for outcome in outcomes)
    await connection.close()


async def kill_server(mark: Path) -> None:
    (process,) = find_servers(mark)
    os.kill(process, signal.SIGKILL)
    while process in find_servers(mark):
        await asyncio.sleep(0.01)


async def test_an_idle_server_is_stopped(
    hostile: Hostile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "IDLE_SECONDS", 0.05)
    connection = McpConnection(hostile("good"), tmp_path)
    assert await call(connection) == "hi"
    while connection.status.state != "idle":
        await asyncio.sleep(0.01)
    assert await call(connection, text="again") == "again"
    await connection.close()


async def test_the_users_server_starts_at_home(
    hostile: Hostile, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("GITHUB_TOKEN", "secret")
    connection = McpConnection(hostile("good"), tmp_path / "data")
    assert await call(connection, "where") == str(tmp_path)
    await connection.close()


@needs_bubblewrap
async def test_a_projects_server_is_confined(hostile: Hostile, tmp_path: Path) -> None:
    project, outside = tmp_path / "project", tmp_path / "outside"
    project.mkdir()
    sandbox = replace(FOUND, workspace=Workspace(project), home=tmp_path / "home")
    # the sandbox hides `/tmp`, where this repository may be
    script = str(shutil.copy(SERVER, project))
    server = hostile("good", from_project=True, args=("-S", "-I", script, "good"))
    connection = McpConnection(server, tmp_path / "home", sandbox)
    assert await call(connection, "where") == str(project)
    await call(connection, "write", str(outside))
    assert await call(connection, "write", str(project / "inside")) == str(project / "inside")
    assert not outside.exists() and (project / "inside").exists()
    await connection.close()
