"""Private network: one loopback for all confined commands of a thread, and for nobody else.

A command without network has a loopback of its own, so no later command reaches a server that it
started. Here bubblewrap makes one network, in a user namespace that owns it, and ends at once: our
descriptors keep both. The thread's commands enter them before bubblewrap confines them as ever.
Where that does not work each command stays alone.
"""

import asyncio
import contextlib
import fcntl
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from ...config.text import text
from ..process.background_commands import BackgroundCommands
from ..process.launcher import stream_output
from ..process.namespaces import Namespaces
from .sandbox import Sandbox

# NS_GET_USERNS of linux/nsfs.h: the user namespace that owns another one
_GET_OWNER = 0xB701
# Seconds for bubblewrap to make a network, and to enter it once
LIMIT = 10.0
# Its process ID is the one outside, since it shares the processes of the machine
_SHOW_ID = ("/bin/sh", "-c", "echo $$; exec sleep 60")
_NO_MACOS = "on macOS the sandbox has no network at all, not even its own"
# Why this machine has none, once that is known
_problem = ""
_is_verified = False


class PrivateNetworkError(Exception):
    """Why there is no private network here."""


async def enter_private_network(
    sandbox: Sandbox | None, commands: BackgroundCommands | None, *, create: bool = True
) -> Sequence[int]:
    """Return the namespaces that a command of the thread enters; none if it stays alone.

    With `create` the first command makes the network.
    """
    if sandbox is None or commands is None or not sandbox.is_on or sandbox.network:
        return ()
    async with commands.network_lock:
        if commands.network is None and create and not commands.network_problem:
            try:
                commands.network = await open_private_network(sandbox)
            except PrivateNetworkError as error:
                commands.network_problem = str(error)
        return commands.network.descriptors if commands.network else ()


async def open_private_network(sandbox: Sandbox) -> Namespaces:
    """Make a network with a loopback that works; raises PrivateNetworkError."""
    global _problem, _is_verified
    if sandbox.backend != "bubblewrap" or sys.platform != "linux":
        raise PrivateNetworkError(_NO_MACOS)
    if _problem:
        raise PrivateNetworkError(_problem)
    try:
        network = Namespaces(await _make_network(sandbox))
        if not _is_verified:
            await _verify_network(sandbox, network)
    except TimeoutError as error:  # a busy machine: the thread's next run tries again
        raise PrivateNetworkError("it took too long") from error
    except (OSError, ValueError, PrivateNetworkError) as error:
        _problem = str(error) or type(error).__name__
        raise PrivateNetworkError(_problem) from error
    _is_verified = True
    return network


async def _make_network(sandbox: Sandbox) -> tuple[int, ...]:
    """Return the descriptors of a user namespace and of the network that it owns.

    Root with its owner rights stays in its own user namespace.
    """
    own_users = not (sandbox.owner_rights and os.geteuid() == 0)
    argv = [str(sandbox.program), *(["--unshare-user"] if own_users else []), "--unshare-net"]
    argv += ["--die-with-parent"]
    argv += ["--cap-drop", "ALL", "--ro-bind", "/", "/", "--", *_SHOW_ID]
    output, arrived = bytearray(), asyncio.Event()

    def add_output(piece: bytes) -> None:
        output.extend(piece)
        if b"\n" in piece:
            arrived.set()

    running = asyncio.ensure_future(
        stream_output(argv, cwd=Path("/"), timeout=LIMIT, on_output=add_output)
    )
    waiting = asyncio.ensure_future(arrived.wait())
    try:
        await asyncio.wait((running, waiting), return_when=asyncio.FIRST_COMPLETED)
        line = output.decode(errors="replace").strip()
        if not line.isdecimal():
            if not line:
                raise TimeoutError
            raise PrivateNetworkError(line.partition("\n")[0])
        return await asyncio.to_thread(_open_namespaces, int(line), own_users)
    finally:
        for task in (waiting, running):
            task.cancel()
        await asyncio.wait((waiting, running))


def _open_namespaces(process: int, own_users: bool) -> tuple[int, ...]:
    network = os.open(f"/proc/{process}/ns/net", os.O_RDONLY | os.O_CLOEXEC)
    if not own_users:
        return (network,)
    try:
        owner = fcntl.ioctl(network, _GET_OWNER)
    except OSError:
        os.close(network)
        raise
    os.set_inheritable(owner, False)
    return owner, network


async def _verify_network(sandbox: Sandbox, network: Namespaces) -> None:
    """Run one confined command inside; closes the network if that fails."""
    output = bytearray()
    # in threads: Studio's server allows nothing that may block
    folder = await asyncio.to_thread(tempfile.TemporaryDirectory, prefix="maxagent-")
    try:
        place = Path(folder.name)
        probe = await asyncio.to_thread(sandbox.build_probe_command, place, in_network=True)
        ended = await stream_output(
            probe.argv,
            cwd=Path("/"),
            timeout=LIMIT,
            on_output=output.extend,
            namespaces=network.descriptors,
            guard=probe.guard,
        )
    finally:
        await asyncio.to_thread(folder.cleanup)
    if ended.exit_code:
        with contextlib.suppress(OSError):
            network.close()
        first = output.decode(errors="replace").strip().partition("\n")[0]
        raise PrivateNetworkError(first or text("exit code {exit_code}", exit_code=ended.exit_code))
