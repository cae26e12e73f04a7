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
    for event_id, data in before:
        while not stream.advance(event_id, data):
            stream.begin()
            stream.advance(event_id, data)
    assert stream.begin() == position
    assert "".join(data for event_id, data in after if stream.advance(event_id, data)) == new


SENT = {
    "one moment": "1a 1b 1c",
    "equal ones in a moment": "1a 1a 1b 1a",
    "equal ones at the end": "1a 2b 2b",
    "moments of their own": "1a 2b 3a 4b",
    "a moment of one that repeats": "1a 2a 2a 2a 3b 3b 4a",
}


@pytest.mark.parametrize("repeated", range(5))
@pytest.mark.parametrize("first", range(1, 5))
@pytest.mark.parametrize("case", SENT)
def test_an_event_sent_twice_is_read_once(case: str, first: int, repeated: int) -> None:
    """A connection gets what is stored, then what came while it began, then the others."""
    events = [(f"176430000000{each[0]}-0", each[1]) for each in SENT[case].split()]
    stream, received, connections = StreamPosition(), list[str](), 0
    while connections == 0 or stream.is_doubtful:
        connections += 1
        stored = events[:first] if connections == 1 else events
        twice = stored[max(0, len(stored) - repeated) :] if connections == 1 else []
        after = stream.begin()
        offered = [event for event in stored if event[0] > after] + twice + events[len(stored) :]
        received += [data for event_id, data in offered if stream.advance(event_id, data)]
    assert received == [data for _, data in events]
    assert connections <= 2 + len(events)


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
