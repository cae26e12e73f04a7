"""A cancelled edit writes nothing any more, and a long one leaves the loop free."""

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from maxagent.tools.builtin.files.edit import edit
from maxagent.tools.builtin.files.write_file import write_file
from maxagent.tools.filesystem.file_access import hash_content
from maxagent.tools.filesystem.file_locks import lock_files
from maxagent.tools.runtime.invoke import invoke
from maxagent.tools.tool_run import ToolRun
from maxagent.tools.workspace import Workspace

CALLS = [
    (edit, {"file_path": "a", "old_string": "one", "new_string": "two"}),
    (write_file, {"path": "a", "content": "two"}),
    (write_file, {"path": "new/b", "content": "two"}),
]


def knowing(folder: Path, data: bytes) -> ToolRun:
    (folder / "project").mkdir()
    (folder / "project/a").write_bytes(data)
    seen = {"a": hash_content(data)}
    return ToolRun(Workspace(folder / "project"), "c", folder / "outputs", seen=seen)


@pytest.mark.parametrize(("tool", "args"), CALLS)
async def test_call_cancelled_while_waiting_writes_nothing(
    tmp_path: Path, tool: Any, args: dict[str, str]
) -> None:
    run = knowing(tmp_path, b"one")
    root, held, go_on = run.workspace.root, threading.Event(), threading.Event()

    def hold() -> None:
        with lock_files(root / "a", root / "new/b"):
            held.set()
            assert go_on.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(60)
    call = asyncio.create_task(invoke(tool, args, run))
    await asyncio.sleep(0)  # it starts
    await asyncio.sleep(0)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    go_on.set()
    holder.join(10)
    await asyncio.get_running_loop().shutdown_default_executor()
    assert [path.name for path in root.iterdir()] == ["a"]
    assert (root / "a").read_bytes() == b"one"


async def test_event_loop_runs_during_edit_of_large_file(tmp_path: Path) -> None:
    lines = b"".join(b"line %d of a long file, with some words\n" % at for at in range(200_000))
    run = knowing(tmp_path, lines)
    wrong = "line 100000 of a long file, with other words\nthat are not there"
    call = asyncio.create_task(
        invoke(edit, {"file_path": "a", "old_string": wrong, "new_string": "x"}, run)
    )
    # in time of the processor's: that the machine has other things to do does not count
    beats, longest, last = 0, 0.0, time.process_time()
    while not call.done():
        await asyncio.sleep(0.001)
        now = time.process_time()
        beats, longest, last = beats + 1, max(longest, now - last), now
    assert not (await call).ok and beats > 3
    assert longest < 1
