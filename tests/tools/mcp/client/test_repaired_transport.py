"""Servers that do not answer what they need not know, or not in the way they should."""

from pathlib import Path
from typing import Any

import pytest
from sloppy import GOOD, connect

from maxagent.tools.mcp.client import repaired_transport
from maxagent.tools.mcp.errors import McpError

LOG = '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}\n'


@pytest.mark.parametrize(
    ("play", "version"),
    [
        ({"methods": {"server/discover": None}}, "2025-11-25"),
        ({"versions": ["2024-11-05"]}, "2024-11-05"),
        ({"versions": ["2024-11-05", "2025-06-18", "2030-01-01"]}, "2025-06-18"),
        ({"first": {"protocolVersion": "2024-10-07"}}, "2024-11-05"),
        ({"first": {"capabilities": {}}}, "2025-11-25"),
        ({"methods": {"initialize": {"result": {"odd": 1}}}}, "2024-11-05"),
    ],
)
async def test_handshake_finds_a_way(
    play: dict[str, Any], version: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repaired_transport, "PROBE_SECONDS", 0.1)
    connection = connect(tmp_path, [GOOD], **play)
    try:
        definitions = await connection.list_definitions()
    finally:
        await connection.close()
    assert [tool.name for tool in definitions.tools] == ["good"]
    assert definitions.version == version


@pytest.mark.parametrize("versions", [[], ["2030-01-01"], ["x", 5], {"a": 1}, None])
async def test_handshake_in_vain_is_one_line(versions: Any, tmp_path: Path) -> None:
    connection = connect(tmp_path, [GOOD], versions=versions or [])
    with pytest.raises(McpError, match="cannot be used: unsupported version"):
        await connection.list_definitions()
    await connection.close()


@pytest.mark.parametrize(
    "answer",
    [
        '{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}',
        '{"jsonrpc":"2.0","error":{"code":-32600,"message":"Parse error"}}',
        LOG + '{"jsonrpc":"2.0","id":null,"error":{"code":1,"message":"Parse error"}}',
    ],
)
async def test_error_without_id_ends_the_only_call(answer: str, tmp_path: Path) -> None:
    connection = connect(tmp_path, [GOOD], {"good": answer})
    with pytest.raises(McpError, match="reports an error: Parse error"):
        await connection.call_tool("good", {})
    await connection.close()


async def test_flood_of_logs_is_no_burden(tmp_path: Path) -> None:
    answer = LOG * 5_000 + '{"jsonrpc":"2.0","id":ID,"result":{"content":[]}}'
    connection = connect(tmp_path, [GOOD], {"good": answer})
    assert await connection.call_tool("good", {})
    await connection.close()
