"""Stored keys and logins: one private JSON file in the data folder, by provider."""

import fcntl
import json
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, cast

from ...config.errors import MaxAgentError
from ...config.network.variables import read_variable
from ...config.paths import ensure_data_folder, locate_home
from ...config.security.file_lock import choose_file_hint
from ...config.security.private_files import replace_file
from ...config.security.secrets.known_values import remember_secret
from ...config.text import text

# Variables that say where the user's folder is; without them nothing is stored
_HOMES = ("MAXAGENT_HOME", "LLC_HOME", "HOME")
_PROVIDERS = Path(__file__).parent.parent / "providers.json"


@dataclass(frozen=True)
class Credential:
    """What is stored for one provider: a key, or the token of a login."""

    secret: str = field(repr=False)
    account: str = ""
    """Name of the account, of a login."""
    host: str = ""
    """The host that gave the token of a login, and the only one that gets it."""
    session: str = field(default="", repr=False)
    """Short-lived token that was exchanged for the login."""
    session_url: str = ""
    """Where the short-lived token is accepted."""
    renew_at: float = 0.0
    """Unix time from which the short-lived token must be renewed."""
    expires_at: float = 0.0
    """Unix time at which it ends; 0: it does not."""


# By provider
Credentials = Mapping[str, Credential]


class CorruptCredentialsError(MaxAgentError):
    """The file of stored keys is not valid."""


def locate_credentials(home: Path) -> Path:
    """Return the path of the file; it may not exist yet."""
    return home / "data" / "credentials.json"


def read_credentials(home: Path) -> Credentials:
    """Return what is stored, and redact it from now on; raises CorruptCredentialsError."""
    file = locate_credentials(home)
    try:
        stored = _parse(json.loads(file.read_bytes()))
    except (FileNotFoundError, NotADirectoryError):  # without a home nothing is stored
        return {}
    except (OSError, ValueError, TypeError, RecursionError) as error:
        raise CorruptCredentialsError(
            text("cannot read the stored keys in `{file}`", file=file),
            hint=text("{error}; remove the file, then run `mcode auth login`", error=error),
        ) from error
    for provider, credential in stored.items():
        _remember(provider, credential)
    return stored


def find_credentials(environ: Mapping[str, str]) -> Credentials:
    """Return what is stored in the home folder that the environment names."""
    if not any(environ.get(name) for name in _HOMES):
        return {}
    return read_credentials(locate_home(environ))


def remember_credentials(home: Path) -> tuple[str, ...]:
    """Return the stored keys and logins, and redact them from now on, also unused ones."""
    try:
        return tuple(credential.secret for credential in read_credentials(home).values())
    except CorruptCredentialsError:  # reported where a key is needed
        return ()


def update_credential(
    home: Path, provider: str, change: Callable[[Credential | None], Credential | None]
) -> bool:
    """Store the changed credential of a provider; return whether it changed. None: no credential.

    The file is locked from the call of `change` with the old one until its result is stored.
    """
    file = ensure_data_folder(home) / locate_credentials(home).name
    try:
        with _lock_file(file.with_suffix(".lock")):
            stored = dict(read_credentials(home))
            old = stored.pop(provider, None)
            new = change(old)
            if new == old:
                return False
            stored |= {} if new is None else {provider: new}
            rows = {name: _to_row(credential) for name, credential in stored.items()}
            replace_file(file, json.dumps(rows, indent=1).encode())
    except OSError as error:
        raise MaxAgentError(
            text("cannot write `{file}`: {strerror}", file=file, strerror=error.strerror),
            hint=choose_file_hint(error, "check its permissions and the free space"),
        ) from error
    if new:
        _remember(provider, new)
    return True


def store_credential(home: Path, provider: str, credential: Credential) -> None:
    """Store a key or a login; it replaces the provider's former one."""
    update_credential(home, provider, lambda _: credential)


def delete_credential(home: Path, provider: str) -> bool:
    """Delete a provider's key or login; return whether there was one."""
    return update_credential(home, provider, lambda _: None)


def _to_row(credential: Credential) -> dict[str, object]:
    return {name: value for name, value in asdict(credential).items() if value}


def _parse(value: object) -> dict[str, Credential]:
    if not isinstance(value, dict):
        raise ValueError("it is not a mapping of providers")
    return {name: _parse_row(row) for name, row in cast("dict[str, object]", value).items()}


def _parse_row(row: object) -> Credential:
    values = cast("dict[str, Any]", row) if isinstance(row, dict) else {}
    types = {each.name: (float, int) if each.type is float else str for each in fields(Credential)}
    if not values.get("secret") or not all(
        name in types and isinstance(value, types[name]) for name, value in values.items()
    ):
        raise ValueError("an entry is not a valid key or login")
    return Credential(**values)


def _remember(provider: str, credential: Credential) -> None:
    remember_secret(f"{provider}-key", credential.secret)
    remember_secret(f"{provider}-token", credential.session)


@contextmanager
def _lock_file(path: Path) -> Generator[None]:
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def has_key(environ: Mapping[str, str], home: Path) -> bool:
    """Return whether a provider's key is in the environment, or anything is stored."""
    rows: dict[str, dict[str, Any]] = json.loads(_PROVIDERS.read_bytes())
    names = (name for row in rows.values() for name in row.get("key_variables", ()))
    in_environment = any(read_variable(environ, name) for name in names)
    return in_environment or locate_credentials(home).exists()
