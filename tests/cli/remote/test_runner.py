"""Runs of a server whose answers come late, or whose lines are cut."""

import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import aclosing, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from maxagent.cli.remote import connection
from maxagent.cli.remote.address import RemoteAddress
from maxagent.cli.remote.agent_server import AgentServer, open_server
from maxagent.cli.remote.runner import RemoteRunner
from maxagent.config.errors import UsageError
from maxagent.sdk.events import Event

THREAD = "0b6d0a1e-3c8f-4b3a-9d0e-1f2a3b4c5d6e"
END = {"type": "interrupted", "data": {"thread_id": THREAD, "reason": "user"}, "meta": {"seq": 7}}


class LateServer:
    """Answers `POST /api/threads` when it may; its first streams are pulses, then are cut."""

    def __init__(self, pulses: float = 0.0) -> None:
        self.asked, self.answers, self.stopped = (threading.Event() for _ in range(3))
        self.lines = list[str]()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.lines.append(self.requestline)
                self.send_response(404 if self.path == "/ok" else 200)
                self.end_headers()
                if "/events" not in self.path:
                    return
                if pulses and sum("/events" in line for line in server.lines) == 1:
                    for _ in range(int(pulses / 0.1)):
                        self.wfile.write(b": alive\n\n")
                        threading.Event().wait(0.1)
                    return
                if not pulses:
                    server.stopped.wait(30)
                self.wfile.write(f"data: {json.dumps(END)}\n\n".encode())

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers["content-length"]))
                if self.path.endswith("/stop"):
                    server.stopped.set()
                else:
                    server.asked.set()
                    server.answers.wait(30)
                content = json.dumps({"thread_id": THREAD, "after": 1}).encode()
                self.send_response(202)
                self.send_header("content-length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        self.address = RemoteAddress(f"http://127.0.0.1:{self.server.server_port}", "secret")
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self) -> None:
        for event in (self.answers, self.stopped):
            event.set()
        self.server.shutdown()
        self.server.server_close()


@pytest.fixture
def late() -> Iterator[LateServer]:
    opened = LateServer()
    yield opened
    opened.close()


async def consume(runner: RemoteRunner) -> list[Event]:
    async with aclosing(runner.begin({"text": "x"})) as events:
        return [event async for event in events]


@pytest.mark.parametrize("reason", ["user", "timeout", "cancelled"])
async def test_a_stop_before_the_answer_counts(late: LateServer, reason: Any) -> None:
    async with RemoteRunner(late.address) as runner:
        running = asyncio.ensure_future(consume(runner))
        assert await asyncio.to_thread(late.asked.wait, 30)
        if reason == "cancelled":
            running.cancel()
        else:
            assert runner.stop(reason=reason) and runner.is_stopping()
            assert not runner.stop(reason=reason)
        late.answers.set()
        events = list[Event]()
        with suppress(asyncio.CancelledError):
            events = await running
        assert [getattr(event, "reason", "") for event in events] == (
            [] if reason == "cancelled" else [reason]
        )
    assert late.stopped.is_set()


async def test_a_pulse_is_a_sign_of_life(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "PATIENCE", 0.6)
    server = LateServer(pulses=1.5)
    server.answers.set()
    async with RemoteRunner(server.address) as runner:
        events = await consume(runner)
    server.close()
    assert [event.type for event in events] == ["interrupted"]
    assert sum("/events" in line for line in server.lines) == 2


@pytest.mark.parametrize("name", ["wait", "now"])
async def test_limits_are_not_in_the_protocol(late: LateServer, name: str) -> None:
    async with open_server(late.address) as server:
        agent_server = AgentServer(server._connection)
        with pytest.raises(UsageError, match=f"no `resume --{name}`"):
            await agent_server.resume(THREAD, {name: True})
