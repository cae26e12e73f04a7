"""What is shown of a server's entry keeps its secrets, and still binds to them."""

from pathlib import Path

import pytest

from maxagent.tools.mcp.server_config import McpServer
from maxagent.tools.mcp.server_origins import find_server_origins

SECRET = "Zq8vR2kLw9XtB4nMc7Yd"


def serve(value: str, text: str) -> McpServer:
    if text in ("headers", "oauth"):
        names = {"Authorization" if text == "headers" else "client_secret": value}
        return McpServer("s", "http", url="https://e.example", **{text: names})
    if text == "url":
        return McpServer("s", "http", url=f"https://u:{value}@e.example/?key={value}")
    if text.startswith("--"):
        parts = (f"{text}={value}",) if text.endswith("key") else (text, value)
        return McpServer("s", "stdio", "x", ("serve", *parts))
    return McpServer("s", "stdio", "x", env={text: value})


@pytest.mark.parametrize(
    "text",
    ["API_KEY", "DB_PASSWORD", "GITHUB_TOKEN", "--password", "--api-key", "--token", "headers"]
    + ["oauth", "url"],
)
def test_secret_of_server_is_hidden_but_bound(tmp_path: Path, text: str) -> None:
    [origin] = find_server_origins(serve(SECRET, text), tmp_path)
    [other] = find_server_origins(serve(f"{SECRET}2", text), tmp_path)
    assert SECRET not in origin.text and "***" in origin.text
    assert origin.provenance.digest != other.provenance.digest


@pytest.mark.parametrize("text", ["API_KEY", "LEVEL", "--password", "--api-key", "headers"])
def test_variable_of_server_is_shown_by_name(tmp_path: Path, text: str) -> None:
    [origin] = find_server_origins(serve("${NAME}", text), tmp_path)
    assert "${NAME}" in origin.text and "*" not in origin.text
