"""Stored logins to MCP servers: one private JSON file, by the server's name and address."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol, cast

from ....config.errors import MaxAgentError
from ....config.paths import ensure_data_folder, locate_mcp_logins
from ....config.security.file_lock import choose_file_hint
from ....config.security.private_files import lock_folder, make_private_folder, replace_file
from ....config.security.secrets.known_values import remember_secret
from ....config.text import text


class RemoteServer(Protocol):
    """What a login needs to know of a configured server."""

    @property
    def name(self) -> str: ...
    @property
    def url(self) -> str: ...
    @property
    def headers(self) -> Mapping[str, str]: ...
    @property
    def oauth(self) -> Mapping[str, str]: ...


@dataclass(frozen=True)
class ServerLogin:
    """A login to one server, by the authorization server `issuer`; no other one gets any of it."""

    issuer: str
    client_id: str
    token_endpoint: str
    client_secret: str = field(default="", repr=False)
    auth_method: str = "none"
    """How the client proves itself at the token endpoint."""
    redirect_uri: str = ""
    resource: str = ""
    revocation_endpoint: str = ""
    access_token: str = field(default="", repr=False)
    refresh_token: str = field(default="", repr=False)
    expires_at: float = 0.0
    """Unix time at which the access token ends; 0: it does not say."""
    scope: str = ""
    wanted_scope: str = ""
    """What the server has asked for since: the next login asks for it too."""


class CorruptLoginsError(MaxAgentError):
    """The file of stored logins is not valid."""


def read_login(home: Path, server: RemoteServer) -> ServerLogin | None:
    """Return the login to this server at this address, and redact it from now on.

    Raises CorruptLoginsError.
    """
    login = _read_logins(home).get(_name_key(server))
    if login:
        _remember(server.name, login)
    return login


def remember_logins(home: Path) -> None:
    """Redact all stored tokens from now on, also unused ones."""
    with suppress(CorruptLoginsError):  # reported where a login is required
        for key, login in _read_logins(home).items():
            _remember(key.partition(" ")[0], login)


def has_login(home: Path, server: RemoteServer) -> bool:
    """Return whether tokens for the server are stored."""
    login = read_login(home, server)
    return bool(login and login.access_token)


def update_login(
    home: Path, server: RemoteServer, change: Callable[[ServerLogin | None], ServerLogin | None]
) -> None:
    """Store the changed login; None: no login. Two processes that write at once lose nothing."""
    folder = ensure_data_folder(home) / "mcp"
    key = _name_key(server)
    try:
        make_private_folder(folder)
        with lock_folder(folder):
            logins = dict(_read_logins(home))
            new = change(logins.pop(key, None))
            if new:
                logins[key] = new
                _remember(server.name, new)
            rows = {name: _to_row(login) for name, login in sorted(logins.items())}
            replace_file(locate_mcp_logins(home), json.dumps(rows, indent=1).encode())
    except OSError as error:
        raise MaxAgentError(
            text("cannot write `{file}`: {strerror}", file=folder, strerror=error.strerror),
            hint=choose_file_hint(error, "check its permissions and the free space"),
        ) from error


def _read_logins(home: Path) -> Mapping[str, ServerLogin]:
    file = locate_mcp_logins(home)
    try:
        rows = json.loads(file.read_bytes())
        if not isinstance(rows, dict):
            raise ValueError("it is not a mapping of servers")
        return {name: _parse_row(row) for name, row in cast("dict[str, object]", rows).items()}
    except FileNotFoundError:
        return {}
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise CorruptLoginsError(
            text("cannot read the stored logins in `{file}`", file=file),
            hint=text("{error}; remove the file, then run `mcode mcp login`", error=error),
        ) from error


def _parse_row(row: object) -> ServerLogin:
    values = cast("dict[str, Any]", row) if isinstance(row, dict) else {}
    types = {each.name: (float, int) if each.type is float else str for each in fields(ServerLogin)}
    if not all(name in types and isinstance(value, types[name]) for name, value in values.items()):
        raise ValueError("an entry is not a valid login")
    return ServerLogin(**values)


def _to_row(login: ServerLogin) -> dict[str, object]:
    required = ("issuer", "client_id", "token_endpoint")
    return {name: value for name, value in asdict(login).items() if value or name in required}


def _name_key(server: RemoteServer) -> str:
    """Return a key that changes with the address: a token goes to the address it was given for."""
    return f"{server.name} {server.url}"


def _remember(name: str, login: ServerLogin) -> None:
    for secret in (login.access_token, login.refresh_token, login.client_secret):
        remember_secret(f"{name}-login", secret)
