"""The log of a server: a file of its own, and the line that is the reason of its end."""

from pathlib import Path

import pytest

from maxagent.tools.mcp.client.server_log import ServerLog, get_log_path

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


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("文件", "搜索"),
        ("a b", "a_b"),
        ("a.b", "a/b"),
        ("GitHub", "github"),
        ("x" * 90, "x" * 91),
        ("../up", ".._up"),
        ("é", "e\u0301"),
    ],
)
def test_two_servers_have_two_logs(name: str, other: str, tmp_path: Path) -> None:
    logs = [get_log_path(tmp_path, each) for each in (name, other)]
    for log in logs:
        server_log = ServerLog(log)
        server_log.add(f"{log.name} failed\n".encode())
        server_log.close()
    assert [log.read_text() for log in logs] == [f"{log.name} failed\n" for log in logs]
    assert len({log.name.casefold() for log in logs}) == 2 and logs[0].parent == logs[1].parent


def test_a_plain_name_is_the_name_of_the_log(tmp_path: Path) -> None:
    assert get_log_path(tmp_path, "git-hub_2").name == "git-hub_2.log"
