"""The host of a repository: its API, and the environment variables that hold its token.

A token in the environment is sent only to a host that the environment names: the address of a
remote comes from the repository, and anyone may have written it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal
from urllib.parse import urlsplit

from .remote_url import RepositoryAddress

HostKind = Literal["github", "gitlab"]
GITHUB, GITLAB = "github.com", "gitlab.com"
GITHUB_API = "https://api.github.com"
GITHUB_TOKENS = ("GH_TOKEN", "GITHUB_TOKEN")
ENTERPRISE_TOKENS = ("GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN", *GITHUB_TOKENS)
GITLAB_TOKENS = ("GITLAB_TOKEN",)
# GitHub Enterprise Cloud with a domain of its own, such as `octocorp.ghe.com`: anyone can have one
_CLOUD = ".ghe.com"


@dataclass(frozen=True)
class Host:
    """A host with an API."""

    kind: HostKind
    name: str
    """Such as `github.com`, with the port if the remote's address has one."""
    api_url: str
    token_variables: tuple[str, ...] = ()
    """Variables that hold a token for it, the first one wins; empty: the environment does not name
    this host."""


def find_host(address: RepositoryAddress, environ: Mapping[str, str]) -> Host | None:
    """Return the host of an address; None if it is neither a known GitHub nor GitLab."""
    name = address.host_name
    if name == GITHUB or name in _list_github_names(environ):
        return build_github(address, environ, is_named=True)
    if name == GITLAB or name in _list_gitlab_names(environ):
        return build_gitlab(address, environ, is_named=True)
    labels = name.split(".")
    if "github" in labels or name.endswith(_CLOUD):
        return build_github(address, environ)
    return build_gitlab(address, environ) if "gitlab" in labels else None


def build_github(
    address: RepositoryAddress, environ: Mapping[str, str], *, is_named: bool = False
) -> Host:
    """Return a GitHub host; the environment's API and token apply only if `is_named` there."""
    name, public = address.host_name, address.host_name == GITHUB
    api = f"https://{address.host}/api/v3"
    if name.endswith(_CLOUD):
        api = f"https://api.{name}"
    api = GITHUB_API if public else api
    variables = GITHUB_TOKENS if public else ENTERPRISE_TOKENS
    if not is_named:
        return Host("github", address.host, api)
    configured = _read_url(environ, "GITHUB_API_URL")
    # on a runner of github.com the variable is always set
    api = configured if configured and (public or configured != GITHUB_API) else api
    return Host("github", address.host, api, variables)


def build_gitlab(
    address: RepositoryAddress, environ: Mapping[str, str], *, is_named: bool = False
) -> Host:
    """Return a GitLab host; the environment's API and token apply only if `is_named` there."""
    api = f"https://{address.host}/api/v4"
    if not is_named:
        return Host("gitlab", address.host, api)
    configured, of_runner = (
        _read_url(environ, "GITLAB_API_URL"),
        _read_url(environ, "CI_API_V4_URL"),
    )
    if not configured and of_runner and _read_host_name(of_runner) == address.host_name:
        configured = of_runner
    return Host("gitlab", address.host, configured or api, GITLAB_TOKENS)


def _list_github_names(environ: Mapping[str, str]) -> set[str]:
    urls = (environ.get(name, "") for name in ("GH_HOST", "GITHUB_SERVER_URL", "GITHUB_API_URL"))
    return set(_read_names(urls)) - {"api.github.com"}


def _list_gitlab_names(environ: Mapping[str, str]) -> set[str]:
    variables = ("GITLAB_HOST", "GL_HOST", "CI_SERVER_HOST", "GITLAB_API_URL")
    return set(_read_names(environ.get(name, "") for name in variables))


def _read_names(urls: Iterator[str]) -> Iterator[str]:
    for url in urls:
        if name := _read_host_name(url.strip()):
            yield name


def _read_host_name(url: str) -> str:
    """Return the host's name in an address, or in a bare name as `GH_HOST` has it."""
    try:
        return urlsplit(url if "://" in url else f"//{url}").hostname or ""
    except ValueError:
        return ""


def _read_url(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name, "").strip().rstrip("/")
