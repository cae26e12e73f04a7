"""Addresses of remote repositories: host, owner and name in a remote's URL."""

import re
from dataclasses import dataclass

from ...config.remote_url import split_remote_url

# empty: `git@host:owner/name.git`
_SCHEMES = ("https", "http", "ssh", "git", "git+ssh", "")
_NAME = re.compile(r"[A-Za-z0-9_][\w.+-]*|\.[A-Za-z0-9_-][\w.+-]*", re.ASCII)
_HOST = re.compile(r"[A-Za-z0-9]([A-Za-z0-9.-]*[A-Za-z0-9])?(:\d{1,5})?")
# SSH over the port of HTTPS has a host of its own
_OTHER_NAMES = {"ssh.github.com": "github.com", "altssh.gitlab.com": "gitlab.com"}


@dataclass(frozen=True)
class RepositoryAddress:
    """A repository on a host."""

    host: str
    """In lower case; with the port if an HTTP address names one."""
    owner: str
    """User or organization; on GitLab a group, perhaps with groups inside: `a/b`."""
    name: str

    @property
    def path(self) -> str:
        """Owner and name."""
        return f"{self.owner}/{self.name}"

    @property
    def host_name(self) -> str:
        """The host without a port."""
        return self.host.partition(":")[0]


def parse_remote_url(url: str) -> RepositoryAddress | None:
    """Parse the URL of a remote; None for a local path, and where there is no owner and name."""
    parts = split_remote_url(url.strip())
    if parts is None or parts.scheme not in _SCHEMES:
        return None
    # the port of another protocol says nothing about the host's web address
    has_port = parts.port and parts.scheme in ("https", "http")
    host = f"{parts.host}:{parts.port}" if has_port else parts.host
    path = parts.path if parts.scheme else parts.path.removeprefix("~")
    *owners, name = path.strip("/").removesuffix(".git").split("/")
    if not owners or not all(map(_NAME.fullmatch, [*owners, name])) or not _HOST.fullmatch(host):
        return None
    return RepositoryAddress(_OTHER_NAMES.get(host, host), "/".join(owners), name)
