"""A conversation follows its folder."""

import asyncio
import json
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from maxagent import Runner, trust
from maxagent.config import paths
from maxagent.config.errors import MaxAgentError
from maxagent.config.trust.decision import check_trust
from maxagent.memory.database.connection import connect
from maxagent.memory.threads.index import ThreadIndex
from maxagent.memory.threads.lease import acquire_lease
from maxagent.sdk.threads.file_history import open_thread_files
from maxagent.sdk.threads.relocation import move_thread

WRITE = {"name": "write_file", "args": {"path": "new.txt", "content": "new\n"}}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


@pytest.fixture
async def row(home: Path, tmp_path: Path):
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / ".llc.yaml").write_text("task: {test_command: make}\n")
    (tmp_path / "old" / "kept.txt").write_text("kept\n")
    trust(tmp_path / "old", home)
    turns = [{"text": "Writing.", "tool_calls": [WRITE]}, {"text": "One."}, {"text": "Two."}]
    (tmp_path / "script.json").write_text(json.dumps(turns))
    options = {"model": f"scripted/{tmp_path / 'script.json'}", "mode": "auto"}
    async with Runner(home=home) as runner:
        talk = runner.chat("go", folder=tmp_path / "old", options=options, name="main")
        events = [event async for event in talk]
        return runner.threads.get(events[-1].thread_id)


def rename(tmp_path: Path) -> Path:
    return (tmp_path / "old").rename(tmp_path / "new")


def move_away(tmp_path: Path) -> Path:
    (tmp_path / "deep" / "er").mkdir(parents=True)
    return Path(shutil.move(tmp_path / "old", tmp_path / "deep" / "er" / "größe 项目"))


def copy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(tmp_path / "old", tmp_path / "copy"))


def move_below(tmp_path: Path) -> Path:
    moved = (tmp_path / "old").rename(tmp_path / "moved")
    (tmp_path / "old").mkdir()
    return moved.rename(tmp_path / "old" / "old")


def link(tmp_path: Path) -> Path:
    rename(tmp_path)
    (tmp_path / "link").symlink_to(tmp_path / "new")
    return tmp_path / "link"


def lengthen(tmp_path: Path) -> Path:
    return (tmp_path / "old").rename(tmp_path / ("x" * 200))


@pytest.mark.parametrize("move", [rename, move_away, copy, move_below, link, lengthen])
async def test_moved_thread_continues_and_can_undo(
    move: Callable[[Path], Path], row, home: Path, tmp_path: Path
) -> None:
    folder = move(tmp_path)
    moved = await move_thread(row, home, folder)
    assert (moved.folder, moved.name, moved.status) == (str(folder.resolve()), "main", "idle")
    assert ThreadIndex(home).find("main", folder).thread_id == row.thread_id
    assert not check_trust(folder, home).trusted
    restore = await open_thread_files(moved, home).plan_restore("undo")
    assert restore is not None
    await restore.apply()
    assert not (folder / "new.txt").exists() and (folder / "kept.txt").exists()
    trust(folder, home)
    async with Runner(home=home) as runner:
        events = [event async for event in runner.say(row.thread_id, "more")]
        assert (events[-1].type, events[-1].outcome) == ("completion", "answered")
    states = _read_states(home)
    assert str(tmp_path / "old").encode() not in states.replace(str(folder.resolve()).encode(), b"")


def _read_states(home: Path) -> bytes:
    from maxagent.memory.checkpoints.row_compression import expand_row

    with closing(connect(paths.locate_database(home))) as connection:
        rows = connection.execute("SELECT checkpoint FROM checkpoints").fetchall()
    return b"".join(expand_row(row[0]) for row in rows)


KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from maxagent.memory.threads import index
from maxagent.sdk.threads.relocation import move_thread

home, thread, folder, moment = sys.argv[1:]
row = index.ThreadIndex(Path(home)).get(thread)

def end_at(statement):
    if statement.startswith(moment):
        os.kill(os.getpid(), signal.SIGKILL)

def hook(event, arguments):
    if event == moment:
        os.kill(os.getpid(), signal.SIGKILL)

def connect(path, opened=index.connect):
    connection = opened(path)
    connection.set_trace_callback(end_at)
    return connection

index.connect = connect
sys.addaudithook(hook)
asyncio.run(move_thread(row, Path(home), Path(folder)))
"""


@pytest.mark.parametrize(
    "moment",
    ["os.link", "os.utime", "BEGIN IMMEDIATE", "UPDATE checkpoints", "UPDATE threads", "COMMIT"],
)
def test_killed_move_is_whole_and_repeatable(moment: str, row, home: Path, tmp_path: Path) -> None:
    folder, before = rename(tmp_path), _read_states(home)
    arguments = [str(home), row.thread_id, str(folder), moment]
    killed = subprocess.run([sys.executable, "-c", KILLED, *arguments], timeout=60)
    assert killed.returncode == -signal.SIGKILL
    assert ThreadIndex(home).get(row.thread_id).folder == row.folder
    assert _read_states(home) == before
    moved = asyncio.run(move_thread(row, home, folder))
    assert moved.folder == str(folder)
    restore = asyncio.run(open_thread_files(moved, home).plan_restore("undo"))
    assert restore and [change.path for change in restore.plan.changes] == ["new.txt"]


@pytest.mark.parametrize(
    ("case", "message"),
    [
        ("missing", "is not a folder"),
        ("file", "is not a folder"),
        ("taken", "already named `main`"),
        ("busy", "runs in this program"),
        ("worktree", "a worktree of MaxAgent"),
    ],
)
async def test_refused_move_leaves_thread_as_it_was(
    case: str, message: str, row, home: Path, tmp_path: Path
) -> None:
    target, before = tmp_path / "target", _read_states(home)
    if case == "file":
        target.write_text("")
    elif case == "worktree":
        target = paths.ensure_data_folder(home) / "worktrees" / "a" / "b"
    if case not in ("missing", "file"):
        target.mkdir(parents=True)
    with ExitStack() as stack:
        if case == "busy":
            stack.enter_context(acquire_lease(home, row.thread_id))
        if case == "taken":
            ThreadIndex(home).record_thread(
                thread_id="f" * 36,
                title="x",
                folder=str(target),
                graph="chat",
                request="x",
                options={},
                name="main",
            )
        with pytest.raises(MaxAgentError, match=message):
            await move_thread(row, home, target)
    assert (_read_states(home), ThreadIndex(home).get(row.thread_id).folder) == (before, row.folder)
