from pathlib import Path

from maxagent.tools.mcp.definition import ServerDefinitions, ToolDefinition
from maxagent.tools.mcp.offer import build_offer, describe_offer, keep_offer, read_offer
from maxagent.tools.mcp.server_config import McpServer


def server(name: str) -> McpServer:
    return McpServer(name, "stdio", command="x")


def offers(name: str, count: int, description: str = "d") -> ServerDefinitions:
    return ServerDefinitions(
        tuple(ToolDefinition(name, f"tool_{n}", description) for n in range(count))
    )


def test_few_tools_are_offered_themselves() -> None:
    offer = build_offer([server("b"), server("a")], {"a": offers("a", 2), "b": offers("b", 1)})
    assert [*offer.tools] == ["mcp_a_tool_0", "mcp_a_tool_1", "mcp_b_tool_0"]
    assert not offer.is_bridged


def test_many_or_long_tools_and_unknown_servers_need_the_pair() -> None:
    for existing in (offers("a", 41), offers("a", 30, "x" * 2_000)):
        offer = build_offer([server("a")], {"a": existing})
        assert offer.is_bridged and not offer.tools
    mixed = build_offer([server("a"), server("late")], {"a": offers("a", 1)})
    assert mixed.is_bridged and [*mixed.tools] == ["mcp_a_tool_0"]
    assert not build_offer([server("a")], {"a": ServerDefinitions()}).is_bridged


def test_a_kept_offer_is_read_as_it_was(tmp_path: Path) -> None:
    offer = build_offer([server("a"), server("late")], {"a": offers("a", 2)})
    digest = keep_offer(tmp_path, offer)
    assert read_offer(tmp_path, digest) == offer
    assert keep_offer(tmp_path, offer) == digest
    (file,) = (tmp_path / "data/mcp/offers").iterdir()
    file.write_text("{}")
    assert read_offer(tmp_path, digest) is None


def test_a_server_is_one_short_line() -> None:
    names = {"a": offers("a", 300)}
    offer = describe_offer(build_offer([server("a"), server("late")], names))
    first, second = offer.splitlines()
    assert first.startswith("- a (300 tools): tool_0, ") and len(first) <= 210
    assert second.startswith("- late: ")
