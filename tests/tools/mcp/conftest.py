"""Servers of both eras, on stdio and by HTTP, for the tests of the client."""

import subprocess
import sys
from collections.abc import Callable, Generator
from pathlib import Path

import pytest

from maxagent.tools.mcp.server_config import McpServer

SERVERS = Path(__file__).parents[2] / "fixtures" / "mcp_servers"


@pytest.fixture
def hostile(tmp_path: Path) -> Callable[..., McpServer]:
    """Build a server that misbehaves: see `hostile.py`."""

    def build(mode: str, **settings: object) -> McpServer:
        return McpServer(
            mode,
            "stdio",
            command=sys.executable,
            env={"MCP_EFFECTS": str(tmp_path / "effects")},
            **{"args": ("-S", "-I", str(SERVERS / "hostile.py"), mode), **settings},
        )

    return build


@pytest.fixture(scope="module", params=["old-stdio", "new-stdio", "old-http", "new-http"])
def everything(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Generator[McpServer]:
    """A server of one era with one transport: see `everything.py`."""
    era, transport = request.param.split("-")
    script = str(SERVERS / f"{era}_era_server.py")
    env = {"MCP_EFFECTS": str(tmp_path_factory.mktemp("effects") / "log")}
    if transport == "stdio":
        yield McpServer(request.param, "stdio", command=sys.executable, args=(script,), env=env)
        return
    with subprocess.Popen([sys.executable, script, "http"], stdout=subprocess.PIPE) as process:
        assert process.stdout
        port = int(process.stdout.readline())
        yield McpServer(request.param, "http", url=f"http://127.0.0.1:{port}/mcp")
        process.kill()
