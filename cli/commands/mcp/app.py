"""`mcode mcp` with all its commands; `login` and `logout`."""

from typing import TYPE_CHECKING, Annotated

import typer

from ....config import paths
from ....config.errors import UsageError
from ....config.exit_codes import FAILED, INTERRUPTED
from ....config.text import text
from ...i18n.catalogs import t
from ...i18n.message_translation import translate
from ...lazy_imports import without_collector
from ...prompts.sync_bridge import run_sync
from ...rendering.output import echo
from . import editing, listing
from .connection_check import check_connections, describe_connection
from .listing import ServerName
from .server_lookup import find_server

if TYPE_CHECKING:
    from ....tools.mcp.server_config import McpServer


def login(
    name: ServerName,
    no_browser: Annotated[
        bool,
        typer.Option(
            "--no-browser",
            help="Do not open a browser; paste the address that your browser shows after login.",
        ),
    ] = False,
) -> None:
    """Log in to an HTTP server that requires it. Prints the address to open in a browser."""
    server = _find_remote(name)
    with without_collector():
        from ....tools.mcp.oauth.login import log_in
    try:
        result = run_sync(log_in(server, paths.locate_home(), TerminalBrowser(pastes=no_browser)))
    except (KeyboardInterrupt, EOFError):
        echo("", err=True)
        raise typer.Exit(INTERRUPTED) from None
    if result.issuer:
        echo(t("mcp.logged_in", name=name, issuer=result.issuer), err=True)
    else:
        echo(t("mcp.no_login_wanted", name=name), err=True)
    check = check_connections([server])[name]
    echo(describe_connection(check), err=True)
    if check.definitions is None:
        raise typer.Exit(FAILED)


def logout(name: ServerName) -> None:
    """Delete the login to a server, and revoke it there. Exit code 1: there is none."""
    server = _find_remote(name)
    with without_collector():
        from ....tools.mcp.oauth.login import log_out
    problem = run_sync(log_out(server, paths.locate_home()))
    if problem is None:
        echo(t("mcp.not_logged_in", name=name), err=True)
        raise typer.Exit(FAILED)
    echo(t("mcp.logged_out", name=name), err=True)
    if problem:
        echo(t("mcp.not_revoked", reason=translate(problem)), err=True)


class TerminalBrowser:
    """The user's browser, beside the terminal or on another machine."""

    def __init__(self, *, pastes: bool) -> None:
        from ...prompts.login import has_browser
        from ...prompts.text_input import can_edit

        self._pastes = pastes or (can_edit() and not has_browser())

    async def show(self, address: str) -> None:
        """Print the address, and open it."""
        echo(t("mcp.login_address"), err=True)
        echo(address, err=True)
        if self._pastes:
            return
        from ...prompts.login import has_browser

        if has_browser():
            import webbrowser

            webbrowser.open(address)
        echo(t("auth.waiting"), err=True)

    async def read_redirect(self) -> str | None:
        """Return the address that the user pastes; None: only the browser comes, to our port."""
        if not self._pastes:
            return None
        from ...prompts.text_input import read_line_meanwhile
        from ...rendering.console import open_console

        return await read_line_meanwhile(open_console(), t("mcp.paste_address"))


def _find_remote(name: str) -> "McpServer":
    server = find_server(name)
    if server.problem:
        raise UsageError(
            text("`{name}` cannot be used: {problem}", name=name, problem=server.problem)
        )
    if server.transport == "stdio":
        raise UsageError(
            text("`{name}` is a command, which needs no login here", name=name),
            hint="give it what it needs by `env` in its entry",
        )
    return server


app = listing.app
app.command(cls=editing.AddCommand)(editing.add)
for command in (editing.enable, editing.disable, editing.remove):
    app.command()(command)
for command in (login, logout):
    app.command()(command)
