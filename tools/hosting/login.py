"""Logins to a host: a token from the environment, or from the program `gh` or `glab`."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ...config.errors import UsageError
from ...config.security.executables import build_search_path
from ...config.security.secrets.known_values import remember_secret
from ...config.text import text
from ..process.launcher import capture_output
from .host import (
    ENTERPRISE_TOKENS,
    GITLAB_TOKENS,
    Host,
    HostKind,
    build_github,
    build_gitlab,
    find_host,
)
from .remote_url import RepositoryAddress

# Seconds for a program to read its own configuration, or a keyring
TIMEOUT = 20.0
_PROGRAMS: Mapping[HostKind, tuple[str, ...]] = {
    "github": ("gh", "auth", "token", "--hostname"),
    "gitlab": ("glab", "config", "get", "token", "--host"),
}
_TOKENS = {
    *(*ENTERPRISE_TOKENS, *GITLAB_TOKENS),
    *("GITLAB_ACCESS_TOKEN", "OAUTH_TOKEN", "CI_JOB_TOKEN"),
}
_HINTS: Mapping[tuple[HostKind, bool], str] = {
    ("github", True): "run `gh auth login --hostname {host}`, or set `GITHUB_TOKEN`",
    ("github", False): "run `gh auth login --hostname {host}`, or set `GH_HOST={host}` and "
    "`GITHUB_TOKEN`",
    ("gitlab", True): "run `glab auth login --hostname {host}`, or set `GITLAB_TOKEN`",
    ("gitlab", False): "run `glab auth login --hostname {host}`, or set `GITLAB_HOST={host}` and "
    "`GITLAB_TOKEN`",
}


@dataclass(frozen=True)
class Login:
    """A host, and the token to use there."""

    host: Host
    token: str = field(repr=False)


async def find_login(
    address: RepositoryAddress, folder: Path, environ: Mapping[str, str] = os.environ
) -> Login:
    """Return the login for a repository; raises UsageError if the host is unknown or there is none.

    Nothing is sent to the host.
    """
    named_host = find_host(address, environ)
    hosts = (
        [named_host]
        if named_host
        else [build_github(address, environ), build_gitlab(address, environ)]
    )
    for host in hosts:
        token = _read_token(host, environ) or await _ask_program(host, folder, environ)
        if token:
            remember_secret(f"{host.kind} token", token)
            return Login(host, token)
    raise _build_login_error(named_host) if named_host else _build_unknown_host_error(address)


def _read_token(host: Host, environ: Mapping[str, str]) -> str:
    values = (environ.get(name, "").strip() for name in host.token_variables)
    return next(filter(None, values), "")


async def _ask_program(host: Host, folder: Path, environ: Mapping[str, str]) -> str:
    """Return the token of `gh` or `glab`; empty if it is not installed or not logged in."""
    path = build_search_path(folder, environ=environ)
    # a token in the environment is for the hosts that the environment names, not for this one
    own = {name: value for name, value in environ.items() if name not in _TOKENS}
    result = await capture_output(
        [*_PROGRAMS[host.kind], host.name],
        cwd=Path(folder.anchor),  # a repository may configure `glab`
        timeout=TIMEOUT,
        env={**own, "PATH": path},
    )
    values = result.text.split()
    return values[0] if result.exit_code == 0 and not result.timed_out and len(values) == 1 else ""


def _build_login_error(host: Host) -> UsageError:
    hint = _HINTS[host.kind, bool(host.token_variables)]
    return UsageError(
        text("you are not logged in to `{host}`", host=host.name), hint=text(hint, host=host.name)
    )


def _build_unknown_host_error(address: RepositoryAddress) -> UsageError:
    return UsageError(
        text("`{host}` is not known to be a GitHub or GitLab server", host=address.host),
        hint="set `GH_HOST` or `GITLAB_HOST` to it, and `GITHUB_TOKEN` or `GITLAB_TOKEN`",
    )
