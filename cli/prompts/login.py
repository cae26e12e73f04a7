"""Storing a key, and the login in the browser."""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from ...config import paths
from ...config.errors import UsageError
from ...config.exit_codes import INTERRUPTED
from ...config.text import text
from ...models.auth.credentials import (
    Credential,
    delete_credential,
    locate_credentials,
    store_credential,
)
from ...models.auth.key_shapes import clean_key, is_valid_key, recognize_key
from ...models.providers import get_provider
from ..i18n.catalogs import t
from ..rendering.output import echo

if TYPE_CHECKING:
    from ...models.auth.copilot_login import CopilotLogin
    from ...models.auth.device_flow import DeviceCode


def store_key(name: str, key: str) -> None:
    """Store the key of a provider and say so; raises UsageError for one that cannot be sent."""
    from ...config.settings.loader import load_settings
    from ...models.auth.copilot_login import build_address

    provider, home, key = get_provider(name), paths.locate_home(), clean_key(key)
    if not (provider.key_variables or provider.login):
        raise UsageError(text("`{name}` needs no key", name=name))
    if not key:
        raise UsageError(
            text("The key for `{name}` is empty", name=name),
            hint="pipe the key in: `mcode auth login PROVIDER --token-stdin < FILE`",
        )
    if not is_valid_key(key):
        raise UsageError(
            text("the key for `{name}` contains invalid characters", name=name),
            hint="copy it again, without quotes, blanks or line ends",
        )
    host = ""
    if provider.login:
        settings = load_settings(Path.cwd(), home).settings.copilot
        host = build_address(settings.api_host, "copilot.api_host")
    store_credential(home, name, Credential(key, host=host))
    echo(t("auth.stored", provider=name, file=locate_credentials(home)), err=True)
    shape = recognize_key(key)
    if shape not in ("", name, provider.maker_name):
        echo(t("auth.other_shape", provider=shape), err=True)
    warn_of_variable(name)


def warn_of_variable(name: str) -> None:
    """Say that a variable still holds a key of the provider, which counts first."""
    for variable in get_provider(name).key_variables:
        if os.environ.get(variable, "").strip():
            echo(t("auth.variable", variable=variable), err=True)
            return


def log_in(name: str) -> None:
    """Log in to GitHub Copilot in the browser; raises ModelCallError, typer.Exit on Ctrl-C."""
    from ...config.settings.loader import load_settings
    from ...models.auth.copilot_login import CopilotLogin
    from .sync_bridge import run_sync

    home = paths.locate_home()
    settings = load_settings(Path.cwd(), home).settings.copilot
    if not settings.client_id:
        raise UsageError(
            "GitHub Copilot needs the client ID of an OAuth app of your own",
            hint="`mcode config set copilot.client_id ID`, or give a token: "
            "`mcode auth login copilot --token-stdin`; see docs/auth.md",
        )
    try:
        account = run_sync(_run_device_flow(CopilotLogin(home, settings)))
    except KeyboardInterrupt:
        echo("", err=True)
        raise typer.Exit(INTERRUPTED) from None
    echo(t("auth.logged_in", provider=name, account=account or "GitHub"), err=True)


async def _run_device_flow(login: "CopilotLogin") -> str:
    """Store the login of the account that enters the code; return the account's name."""
    from ...models.auth.copilot import open_github_client, open_session, read_account
    from ...models.auth.copilot_login import PROVIDER, build_address
    from ...models.auth.device_flow import request_device_code, wait_for_token
    from ...models.errors import AuthenticationError

    settings = login.settings
    host = build_address(settings.host, "copilot.host")
    api_host = build_address(settings.api_host, "copilot.api_host")
    async with open_github_client() as client:
        code = await request_device_code(client, host, settings.client_id)
        _show_code(code)
        token = await wait_for_token(client, host, settings.client_id, code)
    account = await read_account(login, token)
    store_credential(login.home, PROVIDER, Credential(token, account=account, host=api_host))
    try:
        await open_session(login)
    except AuthenticationError:
        delete_credential(login.home, PROVIDER)
        raise
    return account


def _show_code(code: "DeviceCode") -> None:
    echo(t("auth.code", address=code.address, code=code.user_code), err=True)
    if has_browser():
        import webbrowser

        webbrowser.open(code.address)
    echo(t("auth.waiting"), err=True)


def has_browser() -> bool:
    """Return whether a window can be opened beside this terminal."""
    if not sys.stderr.isatty():
        return False
    is_graphical = any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "BROWSER"))
    return is_graphical or (sys.platform == "darwin" and "SSH_CONNECTION" not in os.environ)
