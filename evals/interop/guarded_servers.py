"""Servers of others that want a login, and what MaxAgent's login shows with them."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

from consenting_browser import ConsentingBrowser
from mcp_servers import SCOPE, find_node, install_distribution
from programs import find_free_port, run_server

from maxagent.tools.mcp.connections import McpConnections
from maxagent.tools.mcp.errors import McpError
from maxagent.tools.mcp.oauth.login import log_in, log_out
from maxagent.tools.mcp.oauth.storage import read_login, update_login
from maxagent.tools.mcp.server_config import McpServer

LIFETIME = 15
"""Seconds of a token of fastmcp's; MaxAgent refreshes one that ends within ten."""
FASTMCP = """\
import sys
from fastmcp import FastMCP
from fastmcp.server.auth.auth import ClientRegistrationOptions, RevocationOptions
from fastmcp.server.auth.providers import in_memory

port, in_memory.DEFAULT_ACCESS_TOKEN_EXPIRY_SECONDS = int(sys.argv[1]), int(sys.argv[2])
auth = in_memory.InMemoryOAuthProvider(
    base_url=f"http://127.0.0.1:{port}",
    client_registration_options=ClientRegistrationOptions(enabled=True),
    revocation_options=RevocationOptions(enabled=True),
)
mcp = FastMCP("guarded", auth=auth)


@mcp.tool
def revoke_all() -> str:
    auth.access_tokens.clear()
    auth.refresh_tokens.clear()
    return "revoked"


mcp.run(transport="http", host="127.0.0.1", port=port, show_banner=False)
"""


@dataclass
class LoginReport:
    """What logins to one server showed."""

    server: str
    shown: dict[str, str] = field(default_factory=dict[str, str])
    """For each thing that was tried what is wrong; empty: nothing."""


@contextmanager
def run_sdk_example(modules: Path, work: Path) -> Iterator[str]:
    """Run the example server of the TypeScript SDK; yield its address."""
    port, other = find_free_port(), find_free_port()
    examples = modules / SCOPE / "sdk" / "dist" / "esm" / "examples" / "server"
    command = [find_node(modules), str(examples / "simpleStreamableHttp.js"), "--oauth"]
    url = f"http://localhost:{port}/mcp"
    environ = {"MCP_PORT": str(port), "MCP_AUTH_PORT": str(other)}
    with run_server(command, work, url, environ):
        yield url


@contextmanager
def run_fastmcp(folder: Path, work: Path) -> Iterator[str]:
    """Run a server of fastmcp's with its authorization server; yield its address."""
    python, port = install_distribution(folder, "fastmcp") / "python", find_free_port()
    script = work / "guarded.py"
    script.write_text(FASTMCP)
    url = f"http://127.0.0.1:{port}/mcp"
    with run_server([str(python), str(script), str(port), str(LIFETIME)], work, url, {}):
        yield url


async def try_login(name: str, url: str, home: Path) -> tuple[LoginReport, McpServer]:
    """Be refused, log in, and list the tools."""
    server, report = McpServer(name, "http", url=url), LoginReport(name)
    refused = await _find_fault(server, home)
    command = f"mcode mcp login {name}"
    report.shown["names the command"] = "" if command in refused else refused or "not refused"
    await log_in(server, home, ConsentingBrowser())
    report.shown["login"] = await _find_fault(server, home)
    return report, server


async def try_refresh(report: LoginReport, server: McpServer, home: Path) -> None:
    """Use a token that has ended, and one that the server does not know."""
    before = read_login(home, server)
    update_login(home, server, lambda login: login and replace(login, expires_at=1.0))
    report.shown["refresh"] = await _find_fault(server, home)
    after = read_login(home, server)
    if not before or not after or before.access_token == after.access_token:
        report.shown["refresh"] = report.shown["refresh"] or "no new token"
    update_login(home, server, lambda login: login and replace(login, access_token="unknown"))
    fault = await _find_fault(server, home)
    report.shown["refresh"] = report.shown["refresh"] or fault


async def try_revocation(report: LoginReport, server: McpServer, home: Path) -> None:
    """Let the server end the login; log in again, and end it from here."""
    connections = McpConnections(home)
    try:
        await connections.get(server).call_tool("revoke_all", {})
    finally:
        await connections.close()
    refused = await _find_fault(server, home)
    ended = "has ended" in refused and "mcode mcp login" in refused
    report.shown["revoked there"] = "" if ended else refused or "not refused"
    await log_in(server, home, ConsentingBrowser())
    problem = await log_out(server, home)
    report.shown["logout revokes"] = "there was no login" if problem is None else problem


async def _find_fault(server: McpServer, home: Path) -> str:
    """Return why the tools cannot be listed; empty: they can."""
    connections = McpConnections(home)
    try:
        definitions = await connections.get(server).list_definitions(refresh=True)
    except McpError as error:
        return str(error)
    finally:
        await connections.close()
    return "" if definitions.tools else "it has no tools"
