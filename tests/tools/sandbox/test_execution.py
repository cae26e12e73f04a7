"""TODO: what this is."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from maxagent.tools.sandbox.execution import TRIES, StartMarker, stream_inside
from maxagent.tools.sandbox.sandbox import ConfinedCommand, Sandbox
from maxagent.tools.workspace import Workspace


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
def test_mark_is_removed_from_output_wherever_split(size: int) -> None:
    events = bytearray()
    start_marker = StartMarker(events.extend)
    mark = start_marker.wrap_command([])[-1]
    content = f"warning\n{mark}\nhello\n{mark}\n".encode()
    for at in range(0, len(content), size):
        start_marker.add(content[at : at + size])
    start_marker.close()
    assert (start_marker.has_started, bytes(events)) == (True, f"warning\nhello\n{mark}\n".encode())


def test_output_without_mark_is_forwarded_on_close() -> None:
    events = bytearray()
    start_marker = StartMarker(events.extend)
    start_marker.add(b"bwrap: no\n")
    assert not events
    start_marker.close()
    assert (start_marker.has_started, bytes(events)) == (False, b"bwrap: no\n")


@dataclass(frozen=True)
class Unlucky(Sandbox):
    """Its wall cannot be built this often; then a program runs without one."""

    left: list[None] = field(default_factory=list[None])

    @asynccontextmanager
    async def wrap(
        self,
        argv: Sequence[str],
        cwd: Path,
        *,
        extra_writable: Sequence[Path] = (),
        in_network: bool = False,
    ) -> AsyncGenerator[ConfinedCommand]:
        if self.left:
            self.left.pop()
            yield ConfinedCommand(["sh", "-c", "echo 'bwrap: a socket is gone' >&2; exit 1"])
        else:
            yield ConfinedCommand(list(argv))


async def _run(folder: Path, line: str, failures: int = 0, timeout: float = 30) -> tuple[int, str]:
    events = bytearray()
    sandbox = Unlucky(Workspace(folder), folder, "bubblewrap", left=[None] * failures)
    argv = ["sh", "-c", line]
    ended = await stream_inside(sandbox, argv, cwd=folder, timeout=timeout, on_output=events.extend)
    return ended.exit_code, events.decode()


async def test_failed_sandbox_setup_is_retried(tmp_path: Path) -> None:
    ended = await _run(tmp_path, "echo ran >> log; echo ran", failures=2)
    assert (ended, (tmp_path / "log").read_text()) == ((0, "ran\n"), "ran\n")


async def test_after_some_tries_the_reason_is_shown(tmp_path: Path) -> None:
    code, output = await _run(tmp_path, "echo ran >> log", failures=TRIES)
    assert (code, output, (tmp_path / "log").exists()) == (1, "bwrap: a socket is gone\n", False)


async def test_started_program_is_never_run_again(tmp_path: Path) -> None:
    line = "echo ran >> log; echo 'bwrap: not true' >&2; exit 1"
    code, output = await _run(tmp_path, line)
    assert (code, output, (tmp_path / "log").read_text()) == (1, "bwrap: not true\n", "ran\n")


async def test_without_a_sandbox_it_runs_as_it_is(tmp_path: Path) -> None:
    events = bytearray()
    argv = ["sh", "-c", "echo $0", "x"]
    await stream_inside(None, argv, cwd=tmp_path, timeout=30, on_output=events.extend)
    assert events == b"x\n"
