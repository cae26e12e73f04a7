from typing import Any

import pytest

from maxagent.cli.acp.client_servers import CLIENT, read_servers
from maxagent.cli.acp.frames import RpcError

STDIO = {"name": "a", "command": "/bin/x", "args": ["-y"], "env": [{"name": "K", "value": "${K}"}]}
HTTP = {
    "name": "b",
    "type": "http",
    "url": "https://example.org/mcp",
    "headers": [{"name": "Authorization", "value": "Bearer ${x}"}],
}


def test_servers_are_read_as_they_are_written() -> None:
    stdio, http = read_servers([STDIO, HTTP])
    assert (stdio.command, stdio.args, stdio.env) == ("/bin/x", ("-y",), {"K": "${K}"})
    assert (http.transport, http.url) == ("http", "https://example.org/mcp")
    assert http.headers == {"Authorization": "Bearer ${x}"}
    assert [(server.problem, server.source) for server in (stdio, http)] == [("", CLIENT)] * 2


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        ({"type": "websocket"}, "its type `websocket` is unknown"),
        ({"command": 7}, "its `command` is not a text"),
        ({"command": " "}, "its definition has no `command`"),
        ({"args": "x"}, "its `args`"),
        ({"env": [{"name": "K", "value": []}]}, "its `env`"),
        ({"type": "sse", "url": "ftp://x"}, "its URL is not one of"),
        ({"name": "x" * 101}, "its name is empty, too long"),
    ],
)
def test_what_is_wrong_is_the_servers_problem(change: dict[str, Any], problem: str) -> None:
    [server] = read_servers([STDIO | change])
    assert problem in server.problem and not server.is_usable


@pytest.mark.parametrize(
    "values",
    [
        [STDIO, STDIO],
        [{**STDIO, "name": ""}],
        [{"command": "x"}],
        ["a"],
        [{**STDIO, "env": {"K": "v"}}],
        [{**STDIO, "env": [{"value": "v"}]}],
    ],
)
def test_what_is_no_list_of_servers_is_refused(values: list[object]) -> None:
    with pytest.raises(RpcError):
        read_servers(values)
