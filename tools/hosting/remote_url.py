"""Addresses of remote repositories: host, owner and name in a remote's URL."""

import re
from dataclasses import dataclass
from urllib.parse import urlsplit

# `git@host:owner/name.git`; a slash before the colon makes it a local path
_SCP_LIKE = re.compile(r"(?:[^@/:\s]+@)?([^/:@\s]+):(?!//)(.+)")
_SCHEMES = ("https", "http", "ssh", "git", "git+ssh")
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
    host, path = _split_url(url.strip())
    if not _HOST.fullmatch(host):
        return None
    *owners, name = path.strip("/").removesuffix(".git").split("/")
    if not owners or not all(map(_NAME.fullmatch, [*owners, name])):
        return None
    host = host.lower()
    return RepositoryAddress(_OTHER_NAMES.get(host, host), "/".join(owners), name)


def _split_url(url: str) -> tuple[str, str]:
    """Return host and path; both empty for anything else."""
    try:
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
    except ValueError:
        return "", ""
    if "://" in url and parts.scheme.lower() in _SCHEMES:
        # the port of another protocol says nothing about the host's web address
        has_port = port and parts.scheme.lower() in ("https", "http")
        return (f"{host}:{port}" if has_port else host), parts.path
    match = None if "://" in url else _SCP_LIKE.fullmatch(url)
    return (match[1], match[2].removeprefix("~")) if match else ("", "")
