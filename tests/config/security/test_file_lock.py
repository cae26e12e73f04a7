import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from maxagent.config.errors import MaxAgentError
from maxagent.config.security import file_lock as module
from maxagent.config.security.file_lock import acquire_file_lock


async def test_one_holds_it_and_the_next_waits(tmp_path: Path) -> None:
    order: list[str] = []

    async def work(name: str) -> None:
        async with acquire_file_lock(tmp_path / "lock"):
            order.append(f"{name} in")
            await asyncio.sleep(0)
            order.append(f"{name} out")

    await asyncio.gather(work("a"), work("b"), work("c"))
    assert sorted(order[::2]) == ["a in", "b in", "c in"]
    assert [entry.split()[0] for entry in order[::2]] == [e.split()[0] for e in order[1::2]]


async def test_child_with_descriptor_holds_lock_until_exit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "LOCK_TIMEOUT", 0.05)
    async with acquire_file_lock(tmp_path / "lock") as lock:
        command = [sys.executable, "-c", "input()"]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, pass_fds=(lock,))
    with pytest.raises(MaxAgentError, match="keeps `.*lock` locked"):
        async with acquire_file_lock(tmp_path / "lock"):
            pass
    child.communicate(b"\n")
    async with acquire_file_lock(tmp_path / "lock"):
        pass


async def test_it_is_free_after_an_error(tmp_path: Path) -> None:
    with pytest.raises(TimeoutError):
        async with acquire_file_lock(tmp_path / "lock"):
            raise TimeoutError
    async with acquire_file_lock(tmp_path / "lock"):
        pass
