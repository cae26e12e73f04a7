"""Servers by HTTP: what each status means for a call, a session that is lost, and type `sse`."""

import asyncio
import json
import subprocess
import sys
from collections.abc import AsyncGenerator, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from maxagent.tools.mcp import connection as connection_module
from maxagent.tools.mcp.connection import McpConnection
from maxagent.tools.mcp.errors import McpError
from maxagent.tools.mcp.input_request import InputAnswer, InputRequest
from maxagent.tools.mcp.server_config import McpServer, Transport
from maxagent.tools.result import CallResult

SERVERS = Path(__file__).parents[3] / "fixtures" / "mcp_servers"
ECHO = {"name": "echo", "inputSchema": {"type": "object"}}
JSON = "application/json"
# Those that the server knows
known_sessions: set[str] = set()


def describe_error(code: int, message: str) -> str:
    """An error of JSON-RPC for a request whose id was not read."""
    return json.dumps({"jsonrpc": "2.0", "id": None, "error": {"code": code, "message": message}})


BROKEN = describe_error(-32000, "it is broken")


class OldServer(BaseHTTPRequestHandler):
    """A server of the old era, whose tool answers with the status and the body of its arguments."""

    protocol_version = "HTTP/1.1"
    forgotten = (404, "text/plain", "")
    """The answer in a session that it does not know."""
    called = 0

    def do_POST(self) -> None:
        if self.path == "/nothing":
            return self._send(404, "text/plain", "")
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        session = self.headers.get("mcp-session-id", "")
        match request["method"]:
            case "server/discover":
                self._send(404, "text/plain", "")
            case "initialize":
                known_sessions.add(str(len(known_sessions) + 1))
                about = {"name": "old", "version": "1"}
                version = request["params"]["protocolVersion"]
                offered = {"protocolVersion": version, "capabilities": {"tools": {}}}
                self._answer(request, {**offered, "serverInfo": about})
            case _ if session not in known_sessions:
                self._send(*self.forgotten)
            case "tools/list":
                self._answer(request, {"tools": [ECHO]})
            case "tools/call":
                OldServer.called += 1
                self._call(request, **request["params"]["arguments"])
            case _:
                self._send(202, JSON, "")

    def do_GET(self) -> None:
        self._send(405, "text/plain", "")

    do_DELETE = do_GET

    def _call(self, request: dict[str, Any], status: int, type: str, body: str) -> None:
        if not status:  # no answer at all
            self.close_connection = True
        elif status == 200 and type == JSON:
            self._answer(request, {"content": []})
        else:
            self._send(status, type, body)

    def _answer(self, request: dict[str, Any], result: dict[str, Any]) -> None:
        self._send(200, JSON, json.dumps({"jsonrpc": "2.0", "id": request["id"], "result": result}))

    def _send(self, status: int, kind: str, body: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        if status == 200:
            self.send_header("mcp-session-id", str(len(known_sessions)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), OldServer)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
async def connection(address: str, tmp_path: Path) -> AsyncGenerator[McpConnection]:
    known_sessions.clear()
    OldServer.called = 0
    connection = McpConnection(McpServer("s", "http", url=address), tmp_path)
    yield connection
    await connection.close()


@pytest.mark.parametrize(
    ("status", "kind", "body", "may_have_run", "reason"),
    [
        (400, "text/plain", "", False, "HTTP 400 Bad Request"),
        (401, "text/plain", "", False, "login needed: run `mcode mcp login s`"),
        (403, "text/html", "<p>no", False, "HTTP 403 Forbidden"),
        (405, "text/plain", "", False, "HTTP 405 Method Not Allowed"),
        (413, "text/plain", "", False, "HTTP 413"),
        (429, "text/plain", "", False, "HTTP 429 Too Many Requests"),
        (500, JSON, '{"detail": "x"}', True, "HTTP 500 Internal Server Error"),
        (500, JSON, BROKEN, True, "it is broken"),
        (502, JSON, "no JSON", True, "HTTP 502 Bad Gateway"),
        (503, "text/plain", "", True, "HTTP 503 Service Unavailable"),
        (599, "text/plain", "", True, "HTTP 599"),
        (400, JSON, BROKEN, True, "it is broken"),
        (200, "text/html", "<p>Log in", True, "text/html"),
        (0, "", "", True, "did not answer"),
        *[
            (200, f"{JSON}; charset=utf-8", body, True, "its answer cannot be read")
            for body in ("", '{"result": {', '{"result": {}}', "[1]", '"done"')
        ],
        (200, "text/event-stream", "data: {broken\n\n", True, "its answer cannot be read"),
    ],
)
async def test_a_status_says_whether_the_call_ran(
    connection: McpConnection, status: int, kind: str, body: str, may_have_run: bool, reason: str
) -> None:
    expected = {"status": status, "type": kind, "body": body}
    with pytest.raises(McpError) as caught:
        await connection.call_tool("echo", expected)
    assert reason in caught.value.reason
    assert caught.value.may_have_run == may_have_run
    assert "\n" not in str(caught.value)
    assert known_sessions == {"1"}, "the session goes on"


@pytest.mark.parametrize(
    ("status", "kind", "body"),
    [
        (404, "text/plain", "Session not found"),
        (404, JSON, describe_error(-32001, "Session not found")),
        (404, JSON, describe_error(-32600, "Session not found")),
        (400, JSON, describe_error(-32000, "Bad Request: No valid session ID provided")),
        (400, JSON, describe_error(-32000, "Bad Request: Server not initialized")),
        (400, "text/plain", "Invalid session ID"),
        (401, "text/plain", "Unauthorized: Session not found"),
        (403, JSON, '{"error": "Session expired"}'),
        (410, "text/plain", "Gone"),
        (422, "text/plain", "Unexpected message, expect initialize request"),
    ],
)
async def test_a_forgotten_session_is_opened_again(
    connection: McpConnection, monkeypatch: pytest.MonkeyPatch, status: int, kind: str, body: str
) -> None:
    assert (await connection.list_definitions()).tools
    monkeypatch.setattr(connection_module, "RECONNECT_PAUSE", 0.0)
    monkeypatch.setattr(OldServer, "forgotten", (status, kind, body))
    known_sessions.clear()
    expected = {"status": 200, "type": JSON, "body": ""}
    answer = await connection.call_tool("echo", expected)
    assert isinstance(answer, CallResult) and answer.ok
    assert known_sessions == {"1"} and OldServer.called == 1


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (200, describe_error(-32001, "Session not found")),
        (200, describe_error(-32000, "Server not initialized")),
        (200, '{"error": "session expired"}'),
        (500, '{"error": "unknown session"}'),
        (503, describe_error(-32000, "session lost")),
    ],
)
async def test_call_refused_in_words_is_not_repeated(
    connection: McpConnection, monkeypatch: pytest.MonkeyPatch, status: int, body: str
) -> None:
    await connection.list_definitions()
    monkeypatch.setattr(OldServer, "forgotten", (status, JSON, body))
    known_sessions.clear()
    expected = {"status": 200, "type": JSON, "body": ""}
    with pytest.raises(McpError, match="(?i)session|initialized") as caught:
        await connection.call_tool("echo", expected)
    assert caught.value.may_have_run and OldServer.called == 0
    answer = await connection.call_tool("echo", expected)
    assert isinstance(answer, CallResult) and answer.ok


async def test_calls_at_once_share_a_new_session(
    connection: McpConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await connection.list_definitions()
    monkeypatch.setattr(connection_module, "RECONNECT_PAUSE", 0.0)
    known_sessions.clear()
    expected = {"status": 200, "type": JSON, "body": ""}
    calls = [connection.call_tool("echo", expected) for _ in range(5)]
    answers = await asyncio.gather(*calls)
    assert all(isinstance(answer, CallResult) and answer.ok for answer in answers)
    assert OldServer.called == 5


@pytest.mark.parametrize("kind", ["text/plain", "application/octet-stream", "text/json"])
async def test_json_by_another_name_is_read(connection: McpConnection, kind: str) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": None, "result": {"content": []}})
    answer = await connection.call_tool("echo", {"status": 200, "type": kind, "body": body})
    assert isinstance(answer, CallResult) and answer.ok


@contextmanager
def serve(*arguments: str) -> Iterator[int]:
    """Start a server of the SDK; its port."""
    command = [sys.executable, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, cwd=SERVERS) as process:
        assert process.stdout
        yield int(process.stdout.readline())
        process.kill()


async def answer_ann(request: InputRequest) -> InputAnswer:
    assert request.message == "What is your name?"
    return InputAnswer("accept", {"name": "Ann"})


async def test_a_server_of_type_sse_is_called_and_asks(tmp_path: Path) -> None:
    with serve("old_era_server.py", "sse") as port:
        address = f"http://127.0.0.1:{port}/sse"
        connection = McpConnection(McpServer("s", "sse", url=address), tmp_path)
        assert len((await connection.list_definitions()).tools) == 15
        assert (connection.status.era, connection.status.state) == ("old", "ready")
        steps: list[float] = []
        for name, arguments, text in (
            ("echo", {"text": "hi"}, "hi"),
            ("ask", {}, "hello Ann"),
            ("slow", {"seconds": 0.01}, "done"),
        ):
            answer = await connection.call_tool(
                name, arguments, elicit=answer_ann, on_progress=lambda step, *_: steps.append(step)
            )
            assert isinstance(answer, CallResult) and text in answer.output.splitlines()
        assert steps == [1, 2, 3, 4]
        assert "the first memo" in (await connection.read_resource("memo://one")).output
    with pytest.raises(McpError):  # the end of the stream may be noticed before, or in the call
        await connection.call_tool("echo", {"text": "gone"})
    with pytest.raises(McpError, match=f"cannot be used: no connection to 127.0.0.1:{port}: "):
        await connection.call_tool("echo", {"text": "gone"})
    await connection.close()


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_the_other_kind_of_http_is_found(
    address: str, tmp_path: Path, transport: Transport
) -> None:
    with serve("old_era_server.py", "sse") as port:
        other = {"http": f"http://127.0.0.1:{port}/sse", "sse": address}[transport]
        connection = McpConnection(McpServer("s", transport, url=other), tmp_path)
        assert (await connection.list_definitions()).tools
        await connection.close()


@pytest.mark.parametrize("transport", ["http", "sse"])
async def test_a_wrong_address_is_named(address: str, tmp_path: Path, transport: Transport) -> None:
    wrong = address.removesuffix("mcp") + "nothing"
    connection = McpConnection(McpServer("s", transport, url=wrong), tmp_path)
    with pytest.raises(McpError, match="cannot be used: HTTP 40[45] "):
        await connection.list_definitions()
    await connection.close()
