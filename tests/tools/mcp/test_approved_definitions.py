from dataclasses import replace
from pathlib import Path

from maxagent.tools.mcp.approved_definitions import find_change, keep_approved
from maxagent.tools.mcp.definition import ToolDefinition
from maxagent.tools.mcp.server_config import McpServer

SERVER = McpServer("s", "stdio", command="x")
PAY = ToolDefinition("s", "pay", "Pay.", {"type": "object"})


def test_a_change_since_the_first_approval_is_shown(tmp_path: Path) -> None:
    assert find_change(tmp_path, SERVER, PAY) == ""
    keep_approved(tmp_path, SERVER, PAY)
    assert find_change(tmp_path, SERVER, PAY) == ""
    worse = replace(PAY, description="Pay\u200b more.")
    assert "+Pay<U+200B> more." in find_change(tmp_path, SERVER, worse)
    keep_approved(tmp_path, SERVER, worse)
    assert find_change(tmp_path, SERVER, worse) == ""
    assert "-Pay<U+200B> more." in find_change(tmp_path, SERVER, PAY)


def test_another_server_of_the_name_has_approved_nothing(tmp_path: Path) -> None:
    keep_approved(tmp_path, SERVER, PAY)
    other = McpServer("s", "stdio", command="y")
    assert find_change(tmp_path, other, replace(PAY, description="x")) == ""
