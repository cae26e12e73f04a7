"""An MCP server as it is defined."""

from dataclasses import replace

import pytest

from maxagent.tools.mcp.server_config import McpServer

SERVER = McpServer("a", "stdio", command="npx", args=("-y", "x"), env={"TOKEN": "t1"})


@pytest.mark.parametrize(
    ("changes", "is_same"),
    [
        ({"env": {"TOKEN": "t2"}}, True),
        ({"enabled": False, "problem": "x", "source": "y"}, True),
        ({"env": {"OTHER": "t1"}}, False),
        ({"args": ("-y", "y")}, False),
        ({"command": "uvx"}, False),
        ({"headers": {"A": "b"}}, False),
    ],
)
def test_the_digest_holds_what_a_server_is(changes: dict[str, object], is_same: bool) -> None:
    other = replace(SERVER, digest="", **changes)  # pyright: ignore[reportArgumentType]
    assert (other.digest == SERVER.digest) is is_same


def test_a_secret_is_not_in_the_representation() -> None:
    assert "t1" not in repr(SERVER)


def test_only_an_enabled_server_without_problem_is_usable() -> None:
    assert SERVER.is_usable
    assert not replace(SERVER, enabled=False).is_usable
    assert not replace(SERVER, problem="x").is_usable
