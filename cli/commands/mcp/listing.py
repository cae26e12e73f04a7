"""`mcode mcp list`, `test`, `tools` and `config`."""

import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, cast

import typer

from ....config import exit_codes
from ....config.paths import locate_mcp_servers
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...rendering.line_breaks import split_rows
from ...rendering.output import echo, echo_json
from ...rendering.sanitize import sanitize_line
from ...rendering.table import show_table
from .connection_check import (
    LIST_TIMEOUT,
    ConnectionCheck,
    check_connections,
    describe_connection,
    warn_of_sandbox,
)
from .server_lookup import find_server, load_here

if TYPE_CHECKING:
    from ....tools.mcp.config_files import McpConfiguration
    from ....tools.mcp.definition import ToolDefinition
    from ....tools.mcp.server_config import McpServer

app = typer.Typer(
    help="Add, test and list MCP servers, whose tools the model can call.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

_UNTESTED = ConnectionCheck(None)

ServerName = Annotated[str, typer.Argument(metavar="NAME", help="Name of the server.")]


@app.command("list")
def list_servers(
    verbose: Annotated[
        bool,
        typer.Option("--verbose", "-v", help="Show names of headers and variables, and the file."),
    ] = False,
    no_test: Annotated[bool, typer.Option("--no-test", help="Do not connect.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON instead of a table.")] = False,
) -> None:
    """List the servers and test their connections.

    All enabled servers are tested at once, for at most 10 seconds. A project's servers are used
    only if its folder is trusted.
    """
    configuration = load_here()
    servers = configuration.servers
    checks: Mapping[str, ConnectionCheck] = {}
    if not no_test and any(server.is_usable for server in servers):
        echo(t("mcp.testing"), err=True)
        checks = check_connections(servers, LIST_TIMEOUT)
    if as_json:
        echo_json([_to_mapping(server, checks.get(server.name)) for server in servers])
    elif servers:
        _show_servers(configuration, checks, verbose=verbose)
    else:
        echo(t("mcp.none"), err=True)
    warn_of_sandbox(servers, checks)
    _report_files(configuration)


@app.command("test")
def test_server(name: ServerName) -> None:
    """Connect to a server and show what it offers. Exit code 1: it does not work."""
    server = find_server(name)
    checks = check_connections([_with_enabled(server)])
    check = checks[name]
    echo(f"{name}: {describe_connection(check)}")
    warn_of_sandbox([server], checks)
    if check.definitions is None:
        raise typer.Exit(exit_codes.FAILED)
    definitions = check.definitions
    if definitions.prompts:
        echo(t("mcp.prompts", names=", ".join(prompt.name for prompt in definitions.prompts)))
    if definitions.resources:
        echo(t("mcp.resources", count=len(definitions.resources)))
    if not server.enabled:
        echo(t("mcp.disabled_hint", name=name), err=True)


@app.command()
def tools(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Name of the server; default: all.")
    ] = "",
) -> None:
    """Show the tools of a server, or of all, with their arguments."""
    servers = [_with_enabled(find_server(name))] if name else load_here().servers
    checks = check_connections(servers, None if name else LIST_TIMEOUT)
    if not checks:
        echo(t("mcp.none"), err=True)
    for server_name, check in checks.items():
        if check.definitions is None:
            echo(f"{server_name}: {describe_connection(check)}", err=True)
            continue
        echo(f"{server_name}: {describe_connection(check)}")
        for tool in check.definitions.tools:
            _show_tool(tool)
    if name and checks[name].definitions is None:
        raise typer.Exit(exit_codes.FAILED)


@app.command()
def config() -> None:
    """Print all server definitions and their files, without secrets."""
    configuration = load_here()
    echo(t("mcp.file", file=locate_mcp_servers()), err=True)
    for file in configuration.files:
        if file.from_project:
            echo(t("mcp.file.project", file=file.path), err=True)
    definitions = {server.name: _hide_secrets(server) for server in configuration.servers}
    echo_json({"servers": definitions})
    _report_files(configuration)


def _with_enabled(server: "McpServer") -> "McpServer":
    """A server that is named is tested although it is disabled."""
    from dataclasses import replace

    return replace(server, enabled=True)


def _show_servers(
    configuration: "McpConfiguration", checks: Mapping[str, ConnectionCheck], *, verbose: bool
) -> None:
    from ....tools.mcp.secret_values import format_address

    headers = [t(f"mcp.{column}") for column in ("name", "type", "address", "status", "connection")]
    rows = [
        [
            server.name,
            server.transport,
            format_address(server),
            t("mcp.enabled" if server.enabled else "mcp.disabled"),
            _describe_state(server, checks.get(server.name)),
            *([_list_details(server)] if verbose else []),
        ]
        for server in configuration.servers
    ]
    in_terminal = sys.stdout.isatty()
    headers += [t("mcp.details")] if verbose else []
    columns = 5 if in_terminal else len(headers)
    echo(t("mcp.title"))
    show_table(headers[:columns], [row[:columns] for row in rows], cut=(headers[2], *headers[4:]))
    if not in_terminal:
        return
    for row in rows:  # a terminal has cut the reasons, and has no room for details
        if verbose:
            _show_rows(row[0], [row[2], *row[5:]])
        if checks.get(row[0], _UNTESTED).definitions is None and row[4] != "-":
            echo(f"{row[0]}: {row[4]}", err=True)


def _show_rows(name: str, texts: Sequence[str]) -> None:
    """Print a server's texts below its name; a long one takes several rows."""
    from ...rendering.definition_list import get_terminal_width

    echo(sanitize_line(name))
    for line in texts:
        for row in split_rows(sanitize_line(line), get_terminal_width() - 4):
            echo(f"  {row}")


def _describe_state(server: "McpServer", check: ConnectionCheck | None) -> str:
    if server.problem:
        return t("mcp.unusable", problem=translate(server.problem))
    return describe_connection(check) if check else "-"


def _list_names(values: Mapping[str, str]) -> str:
    """List the names, and the variables that their values come from."""
    from ....config.security.masked_values import mask_literals

    return ", ".join(
        f"{name}={mask_literals(value)}" if "${" in value else name
        for name, value in values.items()
    )


def _list_details(server: "McpServer") -> str:
    written = server.as_written
    parts = [
        t("mcp.headers", names=_list_names(written.headers)) if server.headers else "",
        t("mcp.env", names=_list_names(written.env)) if server.env else "",
        t("mcp.source", file=server.source),
    ]
    return "; ".join(part for part in parts if part)


def _report_files(configuration: "McpConfiguration") -> None:
    """Say what of the files is not used, and why."""
    for file in configuration.files:
        if file.problem:
            echo(t("mcp.file.wrong", file=file.path, problem=translate(file.problem)), err=True)
    chosen = {server.name: server for server in configuration.servers}
    for server in configuration.shadowed:
        source = chosen[server.name].source
        echo(t("mcp.shadowed", name=server.name, file=server.source, other=source), err=True)


def _to_mapping(server: "McpServer", check: ConnectionCheck | None) -> dict[str, object]:
    connection = check and {
        "ok": check.definitions is not None,
        "tools": [tool.name for tool in check.definitions.tools] if check.definitions else [],
        "error": check.error,
    }
    return {
        "name": server.name,
        **_hide_secrets(server),
        "source": server.source,
        "project": server.from_project,
        "problem": server.problem,
        "connection": connection,
    }


def _hide_secrets(server: "McpServer") -> dict[str, object]:
    """Return the definition: `${NAME}` by name, other values of variables and headers as stars."""
    from ....config.security.masked_values import mask_literals, mask_secrets, mask_url
    from ....tools.mcp.secret_values import hide_arguments

    written = server.as_written
    if server.transport == "stdio":
        address: dict[str, object] = {
            "command": mask_secrets(written.command),
            "args": list(hide_arguments(server)),
            "env": {name: mask_literals(value) for name, value in written.env.items()},
        }
    else:
        address = {
            "url": mask_url(written.url),
            "headers": {name: mask_literals(value) for name, value in written.headers.items()},
        }
    return {"type": server.transport, **address, "enabled": server.enabled}


def _show_tool(tool: "ToolDefinition") -> None:
    from ...rendering.definition_list import get_terminal_width

    echo(f"  {sanitize_line(f'{tool.name}({_list_arguments(tool)})')}")
    description = sanitize_line(tool.description)
    for row in split_rows(description, get_terminal_width() - 6) if description else []:
        echo(f"      {row}")


def _list_arguments(tool: "ToolDefinition") -> str:
    """Return the names of the arguments, `?` behind those that may be left out."""
    properties, required = tool.schema.get("properties"), tool.schema.get("required")
    if not isinstance(properties, dict):
        return ""
    required_names = cast("list[object]", required) if isinstance(required, list) else []
    names = [str(name) for name in cast("dict[object, object]", properties)]
    return ", ".join(name if name in required_names else f"{name}?" for name in names)
