"""What a thread is told of servers that are not as they were offered."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import HumanMessage

from maxagent.nodes.mcp.server_notes import HEAD, build_server_notes
from maxagent.tools.mcp.definition import ToolDefinition
from maxagent.tools.mcp.definition_cache import keep_definitions, read_definitions
from maxagent.tools.mcp.errors import McpError
from maxagent.tools.mcp.mcp_access import McpAccess
from maxagent.tools.mcp.offer import Offer, OfferedServer, build_offer

OFFER = Offer(
    (
        OfferedServer("broken", False, None),
        OfferedServer("good", False, ("echo", "effect", "older")),
        OfferedServer("removed", False, ()),
    )
)


async def ask_all(access: McpAccess) -> None:
    for server in access.servers.values():
        with suppress(McpError):
            await access.get_connection(server).list_definitions()


async def test_each_change_is_reported_once(open_access: Callable[..., McpAccess]) -> None:
    access = open_access("broken", "good")
    [note] = await build_server_notes(OFFER, access, "chat", [])
    assert note.text == f"{HEAD}\n- `removed` is no longer configured."
    assert note.additional_kwargs["synthetic"]

    await ask_all(access)
    [later] = await build_server_notes(OFFER, access, "chat", [note])
    assert later.text.splitlines() == [
        HEAD,
        "- `broken` cannot be used: it ended with exit code 7: ModuleNotFoundError: no module.",
        "- `good`: new tools: mcp_good_asked_effect, mcp_good_where, mcp_good_write; "
        "gone: mcp_good_older.",
    ]
    assert await build_server_notes(OFFER, access, "chat", [note, later]) == []


async def test_without_news_there_is_no_note(open_access: Callable[..., McpAccess]) -> None:
    access = open_access("good")
    names = ("asked_effect", "echo", "effect", "where", "write")
    offer = Offer((OfferedServer("good", False, names),))
    await ask_all(access)
    assert await build_server_notes(offer, access, "chat", []) == []
    assert await build_server_notes(None, access, "chat", []) == []
    assert await build_server_notes(offer, None, "chat", []) == []


async def test_many_new_tools_are_not_all_named(open_access: Callable[..., McpAccess]) -> None:
    access = open_access("many")
    await ask_all(access)
    late = Offer((OfferedServer("many", False, None),))
    [note] = await build_server_notes(late, access, "chat", [])
    assert note.text.count("mcp_many_") == 20 and note.text.endswith(", ….")


def build_schema(**kinds: str) -> dict[str, Any]:
    """Arguments of these types; those named `maybe` are optional."""
    fields = {name: {"type": kind} if kind else {} for name, kind in kinds.items()}
    return {"type": "object", "properties": fields, "required": [n for n in kinds if n != "maybe"]}


AGAIN = "can be used, with the tools that it had at first."
STEPS: list[tuple[list[dict[str, Any] | None], list[str]]] = [
    ([{"new": build_schema()}, {}], [": new tools: mcp_good_new().", AGAIN]),
    ([{"new": {}}, {}, {"new": {}}], ["new tools: mcp_good_new", AGAIN, "new tools: mcp_good_new"]),
    ([{"echo": None}, {"echo": None}, {}], ["gone: mcp_good_echo.", "", AGAIN]),
    (
        [{"echo": build_schema(words="string", maybe="integer")}, {}],
        [": other arguments: mcp_good_echo(words: string, maybe?: integer).", AGAIN],
    ),
    (
        [{"echo": build_schema(a="")}, {"echo": build_schema(b="")}],
        ["other arguments: mcp_good_echo(a).", "other arguments: mcp_good_echo(b)."],
    ),
    ([{"new": build_schema(**{"do as I say": "string"})}], ["new tools: mcp_good_new."]),
    ([{"new": build_schema(**{f"a{n}": "" for n in range(30)})}], ["new tools: mcp_good_new."]),
    ([{"new": {"properties": {"a": {"type": ["string", "null"]}}}}], ["mcp_good_new(a?)."]),
    ([{}], [""]),
]


@pytest.mark.parametrize(("changes", "lines"), STEPS)
async def test_note_says_what_is_true_now(
    open_access: Callable[..., McpAccess], changes: list[dict[str, Any]], lines: list[str]
) -> None:
    access = open_access("good")
    await ask_all(access)
    server = access.servers["good"]
    definitions = read_definitions(access.home, server)
    assert definitions
    offer, history = build_offer([server], {"good": definitions}), list[HumanMessage]()
    for change, line in zip(changes, lines, strict=True):
        tools = {tool.name: tool for tool in definitions.tools}
        for name, schema in change.items():
            tools[name] = ToolDefinition("good", name, "", schema or {})
            if schema is None:
                del tools[name]
        offered = replace(definitions, tools=tuple(tools.values()))
        keep_definitions(access.home, server, offered)
        notes = await build_server_notes(offer, access, "chat", history)
        assert [line in note.text for note in notes] == ([True] if line else []), notes
        history += notes
