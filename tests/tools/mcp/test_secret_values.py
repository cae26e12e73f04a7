"""Secrets in definitions of servers."""

import pytest

from maxagent.config.security.masked_values import mask_url
from maxagent.config.security.redaction import redact
from maxagent.tools.mcp.secret_values import (
    format_address,
    hide_arguments,
    is_secret,
    remember_secrets,
)
from maxagent.tools.mcp.server_config import McpServer

SECRET = "aB3dE5gH7jK9mN1pQ"


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("Authorization", f"Bearer {SECRET}", True),
        ("X-Api-Key", SECRET, True),
        ("API_TOKEN", SECRET, True),
        ("LEVEL", f"sk-{SECRET}{SECRET}", True),
        ("Authorization", "Bearer ${TOKEN}", False),
        ("LEVEL", "debug", False),
        ("API_TOKEN", "test", False),
        ("X-Region", "eu-west-1-and-more", False),
    ],
)
def test_a_literal_secret_is_found(name: str, value: str, expected: bool) -> None:
    assert is_secret(name, value) is expected


@pytest.mark.parametrize(
    ("arguments", "hidden"),
    [
        (("-y", "x"), ["-y", "x"]),
        (("--api-key", SECRET, "x"), ["--api-key", "***", "x"]),
        ((f"--token={SECRET}",), ["--token=***"]),
        (("--token", "--verbose"), ["--token", "--verbose"]),
        (("--port", "8000"), ["--port", "8000"]),
    ],
)
def test_values_of_secret_options_are_hidden(arguments: tuple[str, ...], hidden: list[str]) -> None:
    assert list(hide_arguments(McpServer("a", "stdio", args=arguments))) == hidden


@pytest.mark.parametrize(
    ("url", "hidden"),
    [
        ("https://x/mcp", "https://x/mcp"),
        ("https://x/mcp?key=abc&b=c", "https://x/mcp?key=***&b=***"),
        ("https://me:word@x:80/mcp", "https://***@x:80/mcp"),
        ("https://[x/", "***"),
    ],
)
def test_a_url_is_shown_without_secrets(url: str, hidden: str) -> None:
    assert mask_url(url) == hidden


def test_an_address_is_a_url_or_a_command() -> None:
    assert format_address(McpServer("a", "http", url="https://x")) == "https://x"
    assert format_address(McpServer("a", "stdio", command="x", args=("a b",))) == "x 'a b'"


def test_secrets_of_a_server_are_redacted_everywhere() -> None:
    text, other = f"{SECRET}-own", f"{SECRET}-other"
    server = McpServer(
        "a", "stdio", env={"API_TOKEN": text}, headers={"Authorization": f"Bearer {other}"}
    )
    remember_secrets(server)
    assert SECRET not in redact(f"first {text} then {other}")
