"""Mentions of servers' resources; one that is read: `tests/cli/repl/slash/test_mcp_servers.py`."""

from collections.abc import Callable
from pathlib import Path

import pytest

from maxagent.nodes.mcp.mentioned_resources import is_resource, read_resource
from maxagent.tools.mcp.mcp_access import McpAccess


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("good:memo://one", True),
        ("good:x", True),
        ("good:", False),
        ("good", False),
        ("goods:memo://one", False),
        ("C:/x.txt", False),
    ],
)
def test_a_mention_names_a_server_and_an_address(
    open_access: Callable[..., McpAccess], path: str, expected: bool
) -> None:
    assert is_resource(path, open_access("good")) == expected
    assert not is_resource(path, None)


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("good:memo://one", "the MCP server `good` reports an error: Method not found"),
        ("broken:x", "`broken` cannot be used: it ended with exit code 7"),
    ],
)
async def test_what_cannot_be_read_is_a_result(
    open_access: Callable[..., McpAccess], tmp_path: Path, path: str, reason: str
) -> None:
    result = await read_resource(path, open_access("good", "broken"), tmp_path)
    assert reason in result.error and result.output == ""
