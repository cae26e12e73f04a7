"""`mcode web` as a process, and a client that asks it as the page does."""

import http.client
import json
import signal
import socket
import time
from collections.abc import Iterator, Sequence
from contextlib import closing
from typing import Any

from program import Program
from warm_start import start_python

PATIENCE = 90
Json = dict[str, Any]


def find_free_port() -> int:
    """Return a port that nobody listens at."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        port: int = server.getsockname()[1]
    return port


class PageServer:
    """A server of one home, on any free port, or on the one of a server before."""

    def __init__(self, program: Program, *arguments: str, port: int = 0, **environ: str) -> None:
        self.program = program
        self.port = port or find_free_port()
        command = [
            "-m",
            "maxagent",
            "web",
            "--no-open",
            "--port",
            str(self.port),
            *arguments,
        ]
        self.process = start_python(command, program.project, {**program.environ, **environ})
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert "#token=" in line, self.process.communicate(timeout=PATIENCE)
        self.address = line.strip()
        self.token = self.address.partition("/#token=")[2]
        self.host = f"127.0.0.1:{self.port}"

    def __enter__(self) -> "PageServer":
        return self

    def __exit__(self, *_: object) -> None:
        self.end()

    def end(self, sign: int = signal.SIGKILL) -> None:
        """End the process."""
        if self.process.poll() is None:
            self.process.send_signal(sign)
        with self.process:
            self.process.communicate(timeout=PATIENCE)

    def connect(self) -> http.client.HTTPConnection:
        """Return a connection of its own."""
        return http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)

    def ask(
        self, method: str, path: str, body: Any = None, **headers: str
    ) -> tuple[int, Json, http.client.HTTPResponse]:
        """Send one request as the page does; return status, JSON and the response."""
        defaults = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        content = None if body is None else json.dumps(body)
        with closing(self.connect()) as connection:
            connection.request(method, path, content, {**defaults, **headers})
            response = connection.getresponse()
            text = response.read()
        is_json = response.headers.get_content_type() == "application/json"
        return response.status, json.loads(text) if is_json else {}, response

    def get(self, path: str) -> Json:
        """Return what the server answers; it must be no error."""
        status, answer, _ = self.ask("GET", path)
        assert status == 200, answer
        return answer

    def post(self, path: str, **body: Any) -> Json:
        """Send something; it must be no error."""
        status, answer, _ = self.ask("POST", path, body)
        assert status in (200, 202), answer
        return answer

    def begin(self, text: str, **body: Any) -> str:
        """Begin a conversation; return its thread."""
        return self.post("/api/threads", text=text, **body)["thread_id"]

    def follow(self, thread: str, after: int, deadline: float) -> Iterator[Json]:
        """Yield the messages of a thread, as long as the server sends some, until the deadline."""
        with closing(self.connect()) as connection:
            headers = {"Authorization": f"Bearer {self.token}", "Last-Event-ID": str(after)}
            connection.request("GET", f"/api/threads/{thread}/events", headers=headers)
            response = connection.getresponse()
            assert response.status == 200
            number = ""
            # a living connection has a pulse: what never comes must be noticed by the clock
            while time.monotonic() < deadline and (line := response.readline().decode()):
                if line.startswith("id: "):
                    number = line.removeprefix("id: ").strip()
                elif line.startswith("data: "):
                    message = json.loads(line.removeprefix("data: "))
                    assert str(message["meta"]["seq"]) == number
                    yield message

    def read_to(self, thread: str, last: Sequence[str], after: int = 0) -> list[Json]:
        """Return the messages up to the first of these types."""
        messages = list[Json]()
        deadline = time.monotonic() + PATIENCE
        for message in self.follow(thread, after, deadline):
            messages.append(message)
            ends = message["type"] == "history" and not message["data"]["is_running"]
            status = (message["data"].get("thread") or {}).get("status") if ends else ""
            if message["type"] in last or status in last:
                return messages
        ended = "the server ended" if time.monotonic() < deadline else f"nothing in {PATIENCE} s"
        raise AssertionError(f"{ended}: {[each['type'] for each in messages]}")
