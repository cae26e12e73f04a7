"""A server of the Agent Protocol: how it is recognized, where its streams go on."""

import threading
from collections.abc import Iterator, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from maxagent.cli.remote.address import RemoteAddress
from maxagent.cli.remote.agent_server import AgentServer, StreamPosition, open_server
from maxagent.cli.remote.server import ThreadServer

Events = Sequence[tuple[str, str]]


@pytest.mark.parametrize(
    ("before", "position", "after", "new"),
    [
        ([], "0", [("1764300000000-0", "a")], "a"),
        ([("1764300000000-0", "a")], "1764300000000", [("1764300000000-0", "a")], ""),
        (
            [("1764300000000-0", "a"), ("1764300000000-0", "a")],
            "1764300000000",
            [("1764300000000-0", letter) for letter in "aaab"],
            "ab",
        ),
        (
            [("1764300000000-9", "a")],
            "1764300000000",
            [("1764300000000-9", "a"), ("1764300000000-10", "b")],
            "b",
        ),
        (
            [("1764300000000-0", "a"), ("1764300000001-0", "b")],
            "1764300000001",
            [("1764300000000-0", "a"), ("1764300000001-0", "b"), ("1764300000002-0", "b")],
            "b",
        ),
        ([("run_event_7", "a")], "run_event_7", [("run_event_8", "b")], "b"),
        ([("", "a")], "0", [("", "b")], "b"),
    ],
)
def test_a_stream_goes_on_where_it_was(
    before: Events, position: str, after: Events, new: str
) -> None:
    stream = StreamPosition()
    stream.begin()
    assert all(stream.advance(*event) for event in before)
    assert stream.begin() == position
    assert "".join(data for event_id, data in after if stream.advance(event_id, data)) == new


class PathServer:
    """Answers each path with one status; keeps the request lines, as a proxy's log does."""

    def __init__(self, status: int) -> None:
        self.log = log = list[str]()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                log.append(self.requestline)
                self.send_response(status)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture(params=[200, 401, 403, 404, 500])
def path_server(request: pytest.FixtureRequest) -> Iterator[PathServer]:
    opened = PathServer(request.param)
    yield opened
    opened.server.shutdown()
    opened.server.server_close()


async def test_token_is_in_no_path(path_server: PathServer) -> None:
    async with open_server(RemoteAddress(path_server.url, "secret")) as server:
        kind = type(server)
    assert path_server.log == ["GET /ok HTTP/1.1"]
    assert kind in (AgentServer, ThreadServer)
