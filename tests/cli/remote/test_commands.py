"""What commands send to a server of the Agent Protocol."""

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from maxagent.cli.remote.address import TOKEN


class AgentProtocolServer:
    """Keeps what is posted, and refuses to run it."""

    def __init__(self) -> None:
        self.bodies = bodies = dict[str, Any]()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.send_response(200)
                self.end_headers()
                self.wfile.write(b"{}")

            def do_POST(self) -> None:
                content = self.rfile.read(int(self.headers["content-length"]))
                bodies[self.path.rpartition("/")[2]] = json.loads(content)
                self.send_response(409 if self.path.endswith("/runs") else 200)
                self.end_headers()
                self.wfile.write(b'{"detail": "enough"}')

            def log_message(self, *_: object) -> None: ...

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()


@pytest.fixture
def server() -> Iterator[AgentProtocolServer]:
    opened = AgentProtocolServer()
    yield opened
    opened.server.shutdown()
    opened.server.server_close()


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["task", "x"], {}),
        (["chat", "x"], {}),
        (["task", "x", "--apply"], {"apply": True}),
        (["task", "x", "--mode", "auto"], {"mode": "auto"}),
        (["task", " x\n", "--max-turns", "3"], {"max_turns": 3}),
    ],
)
def test_options_may_be_none(
    arguments: list[str], options: dict[str, Any], server: AgentProtocolServer, tmp_path: Path
) -> None:
    command = [sys.executable, "-m", "maxagent", "--remote", server.url, *arguments, "-C", "/p"]
    environ = {**os.environ, TOKEN: "secret", "MAXAGENT_HOME": str(tmp_path)}
    ended = subprocess.run(
        command, env=environ, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert "error: enough" in ended.stderr
    assert server.bodies["runs"]["input"]["options"] == options
    assert server.bodies["threads"]["metadata"]["title"] == "x"
