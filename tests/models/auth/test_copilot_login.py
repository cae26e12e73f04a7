"""Hosts that may get a token."""

import pytest

from maxagent.config.errors import UsageError
from maxagent.models.auth.copilot_login import build_address


@pytest.mark.parametrize(
    ("host", "address"),
    [
        ("github.com", "https://github.com"),
        ("https://api.acme.ghe.com/", "https://api.acme.ghe.com"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080"),
        ("http://localhost:1", "http://localhost:1"),
        ("http://[::1]:1", "http://[::1]:1"),
    ],
)
def test_a_host_is_reached_by_https(host: str, address: str) -> None:
    assert build_address(host, "copilot.host") == address


@pytest.mark.parametrize(
    "host", ["", "http://github.com", "ftp://x", "https://me@x", "https://x:99999", "https://x:0"]
)
def test_an_unsafe_address_is_refused(host: str) -> None:
    with pytest.raises(UsageError, match=r"`copilot\.host`"):
        build_address(host, "copilot.host")
