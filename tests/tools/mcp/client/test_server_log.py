"""Which line of a server's last ones is its reason."""

from pathlib import Path

import pytest

from maxagent.tools.mcp.client.server_log import ServerLog

NODE = "Error: Cannot find module 'x'\n    at f (node:internal:1)\n    at g\n\nNode.js v22.1.0\n"
PYTHON = "Traceback:\n  File \"a.py\", line 1, in f\n    g()\nKeyError: 'API_KEY'\n"
RUST = "thread 'main' panicked at a.rs:5:\nTOKEN is missing\nnote: run with `RUST_BACKTRACE=1`\n"
NPM = "npm error 404 Not Found - GET x\nnpm error A complete log of this run can be found in: /y\n"
DOCKER = "docker: Cannot connect to the daemon.\n\nRun 'docker run --help' for more information\n"
PLAIN = "starting\nbye\n\n"


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (NODE, "Error: Cannot find module 'x'"),
        (PYTHON, "KeyError: 'API_KEY'"),
        (RUST, "TOKEN is missing"),
        (NPM, "npm error 404 Not Found - GET x"),
        (DOCKER, "docker: Cannot connect to the daemon."),
        (PLAIN, "bye"),
        ("", ""),
    ],
)
def test_reason_is_the_line_that_names_it(output: str, line: str, tmp_path: Path) -> None:
    log = ServerLog(tmp_path / "x.log")
    log.add(output.encode())
    log.close()
    assert log.last_line == line
