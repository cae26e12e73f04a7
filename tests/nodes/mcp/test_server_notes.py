"""What a thread is told of servers that are not as they were offered."""

from collections.abc import Callable
from contextlib import suppress

from maxagent.nodes.mcp.server_notes import HEAD, build_server_notes
from maxagent.tools.mcp.errors import McpError
from maxagent.tools.mcp.mcp_access import McpAccess
from maxagent.tools.mcp.offer import Offer, OfferedServer

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
