"""A real server whose answers are nearly right, through the real client."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from sloppy import GOOD, SCHEMA, connect

from maxagent.tools.mcp.connection import McpConnection
from maxagent.tools.mcp.definition import ServerDefinitions
from maxagent.tools.mcp.errors import McpError
from maxagent.tools.mcp.server_config import McpServer
from maxagent.tools.result import CallResult

PIXEL = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII="
)


async def list_tools(folder: Path, *tools: Any) -> ServerDefinitions:
    connection = connect(folder, [GOOD, *tools])
    try:
        return await connection.list_definitions(refresh=True)
    finally:
        await connection.close()


USABLE: dict[str, dict[str, Any]] = {
    "no schema": {},
    "schema null": {"inputSchema": None},
    "schema without type": {"inputSchema": {"properties": {"a": {"type": "string"}}}},
    "type in a list": {"inputSchema": {"type": ["object", "null"]}},
    "properties null": {"inputSchema": {"type": "object", "properties": None}},
    "required no list": {"inputSchema": {"type": "object", "required": "a"}},
    "schema a list": {"inputSchema": []},
    "output of another type": {"inputSchema": SCHEMA, "outputSchema": {"type": "array"}},
    "output a text": {"inputSchema": SCHEMA, "outputSchema": "text"},
    "title a number": {"inputSchema": SCHEMA, "title": 7},
    "icons a text": {"inputSchema": SCHEMA, "icons": "x.png"},
    "annotations a list": {"inputSchema": SCHEMA, "annotations": ["read-only"]},
    "a hint a text": {"inputSchema": SCHEMA, "annotations": {"readOnlyHint": "perhaps"}},
    "description null": {"inputSchema": SCHEMA, "description": None},
    "description an object": {"inputSchema": SCHEMA, "description": {"en": "x"}},
}
LEFT_OUT: list[Any] = [
    {"name": "odd", "inputSchema": {"type": "string"}},
    {"name": "odd", "inputSchema": {"type": "array", "items": {}}},
    {"name": "odd", "inputSchema": "object"},
    {"inputSchema": SCHEMA},
    {"name": None, "inputSchema": SCHEMA},
    {"name": " ", "inputSchema": SCHEMA},
    "odd",
    None,
]


@pytest.mark.parametrize("oddity", USABLE)
async def test_odd_tool_is_read(oddity: str, tmp_path: Path) -> None:
    definitions = await list_tools(tmp_path, {"name": "odd", **USABLE[oddity]})
    good, odd = definitions.tools
    assert (good.name, odd.name, odd.schema["type"]) == ("good", "odd", "object")
    assert definitions.left_out == ()


@pytest.mark.parametrize("tool", LEFT_OUT)
async def test_bad_tool_is_left_out_alone(tool: Any, tmp_path: Path) -> None:
    definitions = await list_tools(tmp_path, tool)
    assert [each.name for each in definitions.tools] == ["good"]
    [reason] = definitions.left_out
    assert reason.endswith((" (its arguments are no object)", " (it has no name)"))


ANSWERS: dict[str, tuple[dict[str, Any], str]] = {
    "structured alone": ({"structuredContent": {"total": 3}}, '"total": 3'),
    "content null": ({"content": None, "structuredContent": {"total": 4}}, '"total": 4'),
    "content a text": ({"content": "plain words"}, "plain words"),
    "content of texts": ({"content": ["one", "two"]}, "one\ntwo"),
    "content an object": ({"content": {"type": "text", "text": "alone"}}, "alone"),
    "text null": ({"content": [{"type": "text", "text": None}]}, ""),
    "text a number": ({"content": [{"type": "text", "text": 7}]}, "7"),
    "no type": ({"content": [{"text": "words"}]}, "words"),
    "unknown block beside text": (
        {"content": [{"type": "text", "text": "read"}, {"type": "chart", "data": [1]}]},
        'read\n[chart: {"type": "chart", "data": [1]}]',
    ),
    "structured a list": ({"content": [], "structuredContent": [1, 2]}, "[1, 2]"),
    "notes no object": ({"content": [{"type": "text", "text": "fine"}], "_meta": []}, "fine"),
    "as in 2024": ({"toolResult": [{"type": "text", "text": "fine"}]}, "fine"),
    "error flag a text": ({"content": [{"type": "text", "text": "fine"}], "isError": "no"}, "fine"),
}


@pytest.mark.parametrize("oddity", ANSWERS)
async def test_usable_answer_is_read(oddity: str, tmp_path: Path) -> None:
    result, words = ANSWERS[oddity]
    connection = connect(tmp_path, [GOOD], {"good": {"result": result}})
    try:
        answer = await connection.call_tool("good", {})
    finally:
        await connection.close()
    assert isinstance(answer, CallResult) and answer.ok
    assert words in answer.output


async def test_image_without_type_is_shown(tmp_path: Path) -> None:
    block = {"type": "image", "data": PIXEL}
    connection = connect(tmp_path, [GOOD], {"good": {"result": {"content": [block]}}})
    try:
        answer = await connection.call_tool("good", {})
    finally:
        await connection.close()
    assert isinstance(answer, CallResult) and "image" in answer.output


STATED_ERRORS = [
    ({"error": {"code": "E_LIMIT", "message": "too many"}}, "too many"),
    ({"error": {"code": None, "message": "the disk is full"}}, "the disk is full"),
    ({"error": {"code": "-32602", "message": "`path` is needed"}}, "`path` is needed"),
    ({"error": {"code": 1.5, "message": "half a code"}}, "half a code"),
    ({"error": {"code": [], "message": "no such board"}}, "no such board"),
    ({"error": {"message": "the token has ended"}}, "the token has ended"),
    ({"error": "come back tomorrow"}, "come back tomorrow"),
    ({"error": {"code": "E_OFFLINE"}}, "E_OFFLINE"),
]


@pytest.mark.parametrize(("answer", "words"), STATED_ERRORS)
@pytest.mark.parametrize(
    "transport", ["stdio", "application/json", "text/event-stream", "400", "without ID"]
)
async def test_stated_error_is_read(
    answer: dict[str, Any], words: str, transport: str, tmp_path: Path
) -> None:
    if transport == "stdio":
        connection = connect(tmp_path, [GOOD], {"good": answer})
        reason = await read_error(connection)
    else:
        with serve(answer, transport) as address:
            reason = await read_error(
                McpConnection(McpServer("odd", "http", url=address), tmp_path)
            )
    assert words in reason and "validation error" not in reason


async def read_error(connection: McpConnection) -> str:
    try:
        result = await connection.call_tool("good", {})
        assert isinstance(result, CallResult)
        return result.error
    except McpError as error:
        return str(error)
    finally:
        await connection.close()


@contextmanager
def serve(answer: dict[str, Any], way: str) -> Iterator[str]:
    """Serve by HTTP: each call of a tool gets the answer, in that form."""
    handler = type("Handler", (SloppyHandler,), {"answer": answer, "way": way})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    thread = Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/mcp"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


class SloppyHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    answer: dict[str, Any]
    way: str

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        match request["method"]:
            case "server/discover":
                self._send(404, "text/plain", "")
            case "initialize":
                version = request["params"]["protocolVersion"]
                about = {"protocolVersion": version, "capabilities": {"tools": {}}}
                self._answer(
                    request, {"result": {**about, "serverInfo": {"name": "s", "version": "1"}}}
                )
            case "tools/list":
                self._answer(request, {"result": {"tools": [GOOD]}})
            case "tools/call":
                self._answer(request, self.answer, self.way)
            case _:
                self._send(202, "application/json", "")

    def do_GET(self) -> None:
        self._send(405, "text/plain", "")

    do_DELETE = do_GET

    def _answer(self, request: dict[str, Any], body: dict[str, Any], way: str = "") -> None:
        identity = {} if way == "without ID" else {"id": request["id"]}
        document = json.dumps({"jsonrpc": "2.0", **identity, **body})
        if way == "text/event-stream":
            self._send(200, way, f"event: message\ndata: {document}\n\n")
        else:
            self._send(400 if way == "400" else 200, "application/json", document)

    def _send(self, status: int, kind: str, body: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ({"error": {"code": "E_LIMIT", "message": "too many"}}, "too many"),
        ({"error": {"code": "E_LIMIT"}}, "E_LIMIT"),
        ({"error": {"message": "no code"}}, "no code"),
        ({"error": "only words"}, "only words"),
        ({"error": {"code": -32000, "message": "", "data": {"detail": "why"}}}, "why"),
        ({"error": {"code": -32000, "message": "no", "data": "why"}}, "no: why"),
        ({"result": None}, "its answer cannot be read"),
    ],
)
async def test_unreadable_answer_is_wrong_at_once(
    answer: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    connection = connect(tmp_path, [GOOD], {"good": answer})
    try:
        result = await connection.call_tool("good", {})
        assert isinstance(result, CallResult) and reason in result.error
    except McpError as error:
        assert reason in str(error)
    finally:
        await connection.close()


FIRST: dict[str, dict[str, Any]] = {
    "no name": {"serverInfo": None},
    "no version": {"serverInfo": {"name": "s"}},
    "a version that is a number": {"serverInfo": {"name": "s", "version": 2}},
    "capability true": {"capabilities": {"tools": True, "logging": False}},
    "instructions no text": {"instructions": {"en": "Hello"}},
    "no protocol": {"protocolVersion": None},
}


@pytest.mark.parametrize("oddity", FIRST)
async def test_odd_first_answer_is_read(oddity: str, tmp_path: Path) -> None:
    connection = connect(tmp_path, [GOOD], first=FIRST[oddity])
    try:
        definitions = await connection.list_definitions(refresh=True)
    finally:
        await connection.close()
    assert [tool.name for tool in definitions.tools] == ["good"]


async def test_server_may_demand_initialize_first(tmp_path: Path) -> None:
    connection = connect(tmp_path, [GOOD], strict=True)
    try:
        assert [tool.name for tool in (await connection.list_definitions()).tools] == ["good"]
    finally:
        await connection.close()


MORE = {"name": "more", "inputSchema": SCHEMA}
PAGES: dict[str, tuple[list[dict[str, Any]], list[str], str]] = {
    "a number as cursor": (
        [{"result": {"tools": [GOOD], "nextCursor": 1}}, {"result": {"tools": [MORE]}}],
        ["good", "more"],
        "",
    ),
    "0 as cursor": ([{"result": {"tools": [GOOD], "nextCursor": 0}}], ["good"], ""),
    "the same cursor": (
        [{"result": {"tools": [each], "nextCursor": "x"}} for each in (GOOD, MORE)],
        ["good", "more"],
        "",
    ),
    "a second page that fails": (
        [
            {"result": {"tools": [GOOD], "nextCursor": "x"}},
            {"error": {"code": -32602, "message": "bad cursor"}},
        ],
        ["good"],
        "all after the first 1: bad cursor",
    ),
    "an object of tools": ([{"result": {"tools": {"good": GOOD}}}], ["good"], ""),
    "a bare list": ([{"result": [GOOD]}], ["good"], ""),
    "no tools": ([{"result": {"tools": None}}], [], ""),
}


@pytest.mark.parametrize("oddity", PAGES)
async def test_odd_list_is_read(oddity: str, tmp_path: Path) -> None:
    pages, names, problem = PAGES[oddity]
    connection = connect(tmp_path, [], pages=pages)
    try:
        definitions = await connection.list_definitions()
    finally:
        await connection.close()
    assert [tool.name for tool in definitions.tools] == names
    assert definitions.left_out == ((problem,) if problem else ())


WHOLE = '{"jsonrpc": "2.0", "id": ID, "result": {"content": "fine"}}'
BLOCKS = [{"type": "text", "text": "fine"}]
LINES = {
    "without a version": WHOLE.replace('"jsonrpc": "2.0", ', ""),
    "as a batch": f"[{WHOLE}]",
    "after a log": f"DEBUG calling … {WHOLE.replace(': ', ':')}",
    "only words": '{"jsonrpc": "2.0", "id": ID, "result": "fine"}',
    "a list of blocks": f'{{"jsonrpc": "2.0", "id": ID, "result": {json.dumps(BLOCKS)}}}',
}


@pytest.mark.parametrize("oddity", LINES)
async def test_odd_line_is_an_answer(oddity: str, tmp_path: Path) -> None:
    connection = connect(tmp_path, [GOOD], {"good": LINES[oddity]})
    try:
        answer = await connection.call_tool("good", {})
    finally:
        await connection.close()
    assert isinstance(answer, CallResult) and answer.ok and "fine" in answer.output


@pytest.mark.parametrize(
    "result", ["fine", [{"type": "text", "text": "fine"}], {"content": "fine"}]
)
async def test_odd_result_by_http_is_read(result: Any, tmp_path: Path) -> None:
    with serve({"result": result}, "application/json") as address:
        connection = McpConnection(McpServer("odd", "http", url=address), tmp_path)
        try:
            answer = await connection.call_tool("good", {})
        finally:
            await connection.close()
    assert isinstance(answer, CallResult) and answer.ok and "fine" in answer.output
