"""What requests to GitHub Copilot are made of: the login's place, and the settings."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from ...config.errors import UsageError
from ...config.settings.schema import CopilotSection
from ...config.text import text

PROVIDER = "copilot"
_LOOPBACK = ("localhost", "127.0.0.1", "::1")


@dataclass(frozen=True)
class CopilotLogin:
    """The user's login, which is stored in `home`."""

    home: Path
    settings: CopilotSection
    base_url: str = ""
    """The user's own address for requests; empty: the one that GitHub names."""


def build_address(host: str, key: str) -> str:
    """Return the address of a host in the setting `key`; raises UsageError.

    A host of this machine may be an address with `http://`.
    """
    address = (host if "://" in host else f"https://{host}").rstrip("/")
    if is_safe_address(address):
        return address
    raise UsageError(
        text("`{key}` is not a host: `{host}`", key=key, host=host),
        hint="write it like `github.com`; `http://` is for addresses of this machine only",
    )


def is_safe_address(address: str) -> bool:
    """Return whether a token may be sent there: by https, or to this machine."""
    try:
        parts = urlsplit(address)
        if not parts.hostname or parts.username or parts.port == 0:
            return False
    except ValueError:
        return False
    return parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
