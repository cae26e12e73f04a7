"""What goes wrong behind the prompt; what is opened is seen in every test of a conversation."""

import asyncio
import sqlite3
from contextlib import AsyncExitStack

import pytest
from repl_session import Spoken

from maxagent.cli.repl.session.background_startup import open_behind


async def test_unexpected_startup_error_reaches_waiting_message(
    spoken: Spoken, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("nobody foresaw it")

    waiting = asyncio.ensure_future(spoken.session.wait_for_runner())
    with monkeypatch.context() as broken:
        broken.setattr(sqlite3, "connect", fail)
        async with AsyncExitStack() as closing:
            with pytest.raises(RuntimeError):
                await open_behind(spoken.session, closing)
    with pytest.raises(RuntimeError):
        await asyncio.wait_for(waiting, 10)
