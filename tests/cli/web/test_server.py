"""The server's runner, which may fail to open once; connections that wait for no head."""

import asyncio
import sqlite3
from collections.abc import AsyncGenerator, Callable
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from uvicorn.server import ServerState

from maxagent.cli.web import server
from maxagent.cli.web.server import RunnerHolder, TimedProtocol
from maxagent.config import paths
from maxagent.config.errors import MaxAgentError
from maxagent.memory.database.connection import prepare_file


def damage(path: Path) -> None:
    """It is repaired by the first who meets it."""
    path.write_bytes(b"words " * 1_000)


def make_newer(path: Path, version: int = 99) -> None:
    prepare_file(path)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"PRAGMA user_version = {version}")


def block_parent(path: Path) -> None:
    path.parent.rmdir()
    path.parent.touch()


def hide_parent(path: Path) -> None:
    path.parent.rmdir()
    path.parent.symlink_to(path.parent / "nowhere")


def mend(path: Path) -> None:
    """Put the folder of the database back as it was."""
    if not path.parent.is_dir():
        path.parent.unlink()
    elif path.is_dir():
        path.rmdir()
    else:
        path.unlink(missing_ok=True)


@pytest.mark.parametrize("spoil", [make_newer, block_parent, hide_parent, Path.mkdir, damage])
async def test_a_runner_that_failed_is_opened_again(
    spoil: Callable[[Path], None], tmp_path: Path
) -> None:
    path = paths.locate_database(tmp_path)
    path.parent.mkdir(parents=True, exist_ok=True)
    spoil(path)
    holder = RunnerHolder(tmp_path)
    if spoil is not damage:
        with pytest.raises(MaxAgentError):
            await holder.open()
        await holder.close()
        mend(path)
    runner = await holder.open()
    assert await holder.open() is runner
    await holder.close()


async def answer(scope: Any, receive: Any, send: Any) -> None:
    """Answer `/slow` when the client goes, or after five times the time for a head."""
    if scope["path"] == "/slow":
        await receive()
        departure = asyncio.ensure_future(receive())
        await asyncio.wait((departure,), timeout=server.HEAD_TIME * 5)
        departure.cancel()
    length = (b"content-length", b"4")
    await send({"type": "http.response.start", "status": 200, "headers": [length]})
    await send({"type": "http.response.body", "body": b"done"})


@asynccontextmanager
async def connect() -> AsyncGenerator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    config = uvicorn.Config(answer, http=TimedProtocol, ws="none", lifespan="off", log_config=None)
    config.load()
    state = ServerState()
    listener = await asyncio.get_running_loop().create_server(
        lambda: TimedProtocol(config, state, {}), "127.0.0.1", 0
    )
    async with listener:
        reader, writer = await asyncio.open_connection(*listener.sockets[0].getsockname())
        yield reader, writer
        writer.close()


HEAD = "GET {} HTTP/1.1\r\nHost: a\r\n\r\n"


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ("", 0),
        ("GET / HTTP/1.1\r\nHost:", 0),
        (HEAD.format("/"), 1),
        (HEAD.format("/slow"), 1),
        (HEAD.format("/") + HEAD.format("/slow"), 2),
        (HEAD.format("/slow") + HEAD.format("/slow"), 2),
        (HEAD.format("/slow") + HEAD.format("/") + "GET /", 2),
    ],
)
async def test_only_a_missing_head_ends_a_connection(
    text: str, answers: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "HEAD_TIME", 0.1)
    async with connect() as (reader, writer):
        writer.write(text.encode())
        assert (await reader.read()).count(b"done") == answers
