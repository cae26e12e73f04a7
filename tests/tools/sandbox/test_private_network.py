from dataclasses import replace
from pathlib import Path

import pytest
from confinement import FOUND, needs_bubblewrap

from maxagent.config.settings.schema import SandboxSection
from maxagent.tools.process.background_commands import BackgroundCommands
from maxagent.tools.process.launcher import stream_output
from maxagent.tools.sandbox import private_network
from maxagent.tools.sandbox.detect import open_sandbox
from maxagent.tools.sandbox.execution import stream_inside
from maxagent.tools.sandbox.private_network import (
    PrivateNetworkError,
    enter_private_network,
    open_private_network,
)
from maxagent.tools.sandbox.sandbox import Sandbox
from maxagent.tools.workspace import Workspace

ADDRESSES = "cat /proc/net/dev; readlink /proc/self/ns/net"


@pytest.fixture
def sandbox(tmp_path: Path) -> Sandbox:
    (tmp_path / "project").mkdir()
    workspace = Workspace(tmp_path / "project")
    return open_sandbox(SandboxSection(), workspace, tmp_path / "home")


async def see_network(sandbox: Sandbox | None, folder: Path, namespaces: tuple[int, ...]) -> str:
    output = bytearray()
    argv = ["sh", "-c", ADDRESSES]
    ended = await stream_inside(
        sandbox, argv, cwd=folder, timeout=30, on_output=output.extend, namespaces=namespaces
    )
    assert ended.exit_code == 0, output
    return output.decode()


@needs_bubblewrap
async def test_commands_of_a_thread_share_one_network(sandbox: Sandbox) -> None:
    commands, root = BackgroundCommands("thread"), sandbox.workspace.root
    assert await enter_private_network(sandbox, commands, create=False) == ()
    namespaces = tuple(await enter_private_network(sandbox, commands))
    assert namespaces == tuple(await enter_private_network(sandbox, commands, create=False))

    first, again = [await see_network(sandbox, root, namespaces) for _ in range(2)]
    alone, outside = [await see_network(item, root, ()) for item in (sandbox, None)]
    names = [text.splitlines()[-1] for text in (first, again, alone, outside)]
    assert names[0] == names[1] and len({*names}) == 3
    devices = [line.split(":")[0].strip() for line in first.splitlines() if ":" in line]
    assert devices == ["lo", "net"]
    await commands.close()
    assert commands.network is None


@pytest.mark.parametrize("reason", ["no sandbox", "no thread", "network"])
async def test_no_network_is_made_where_none_is_needed(reason: str, sandbox: Sandbox) -> None:
    commands = None if reason == "no thread" else BackgroundCommands("thread")
    text = None if reason == "no sandbox" else replace(sandbox, network=reason == "network")
    assert await enter_private_network(text, commands) == ()
    assert commands is None or commands.network is None


async def test_macos_has_none_and_says_so(sandbox: Sandbox) -> None:
    commands = BackgroundCommands("thread")
    mac = replace(sandbox, backend="sandbox-exec")
    assert await enter_private_network(mac, commands) == ()
    assert "macOS" in commands.network_problem


@needs_bubblewrap
async def test_machine_without_it_is_remembered(
    sandbox: Sandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(private_network, "_problem", "")
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace'; exit 1\n")
    broken.chmod(0o755)
    with pytest.raises(PrivateNetworkError, match="No permissions"):
        await open_private_network(replace(sandbox, program=broken))
    with pytest.raises(PrivateNetworkError, match="No permissions"):
        await open_private_network(sandbox)


@pytest.mark.skipif(not FOUND.is_on, reason="the command does not run without a sandbox")
async def test_command_that_cannot_enter_does_not_run(tmp_path: Path) -> None:
    output = bytearray()
    with (tmp_path / "no namespace").open("w") as file:
        ended = await stream_output(
            ["touch", str(tmp_path / "made")],
            cwd=tmp_path,
            timeout=30,
            on_output=output.extend,
            namespaces=(file.fileno(),),
        )
    assert ended.exit_code == 126 and b"cannot enter the private network" in output
    assert not (tmp_path / "made").exists()
