"""A stored login on requests to its server, against a stand-in."""

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from threading import Event

import anyio
import httpx2
import pytest
from oauth_server import OAuthServer, ScriptedBrowser
from provider import Answer, Request

from maxagent.tools.mcp.connections import McpConnections
from maxagent.tools.mcp.errors import McpError
from maxagent.tools.mcp.oauth.login import log_in, log_out
from maxagent.tools.mcp.oauth.storage import read_login, update_login
from maxagent.tools.mcp.oauth.stored_login import StoredLogin, build_auth
from maxagent.tools.mcp.server_config import McpServer

PING = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}


@pytest.fixture
def guarded() -> Iterator[OAuthServer]:
    with OAuthServer() as server:
        yield server


@asynccontextmanager
async def open_client(
    guarded: OAuthServer, home: Path
) -> AsyncIterator[tuple[httpx2.AsyncClient, StoredLogin]]:
    auth = build_auth(guarded.server, home)
    assert auth
    async with httpx2.AsyncClient(auth=auth) as client:
        yield client, auth


async def post(client: httpx2.AsyncClient, guarded: OAuthServer) -> int:
    return (await client.post(guarded.server.url, json=PING)).status_code


async def test_without_a_login_the_command_is_named(guarded: OAuthServer, tmp_path: Path) -> None:
    async with open_client(guarded, tmp_path) as (client, auth):
        assert await post(client, guarded) == 401
        assert auth.refusal and auth.refusal.message == "login needed"
        assert auth.refusal.hint == "run `mcode mcp login guarded`"
        assert guarded.count("/register") == 0


async def test_only_success_ends_a_refusal(guarded: OAuthServer, tmp_path: Path) -> None:
    async with open_client(guarded, tmp_path) as (client, auth):
        await post(client, guarded)
        await client.get(f"{guarded.issuer}/nothing")
        assert auth.refusal


async def test_a_login_elsewhere_is_used_at_once(guarded: OAuthServer, tmp_path: Path) -> None:
    async with open_client(guarded, tmp_path) as (client, auth):
        assert await post(client, guarded) == 401
        await log_in(guarded.server, tmp_path, ScriptedBrowser())
        assert await post(client, guarded) == 200
        assert auth.refusal is None


async def test_an_ended_token_is_refreshed_once(guarded: OAuthServer, tmp_path: Path) -> None:
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    guarded.end_tokens()
    async with (
        open_client(guarded, tmp_path) as (client, _),
        open_client(guarded, tmp_path) as (other, _),
    ):
        sent = await asyncio.gather(*[post(item, guarded) for item in (client, client, other)])
    assert sent == [200, 200, 200]
    assert guarded.count("/token") == 2  # the login, and one refresh for all


async def test_a_token_is_refreshed_before_it_ends(guarded: OAuthServer, tmp_path: Path) -> None:
    guarded.lifetime = 1
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    refused = guarded.count("/mcp")
    async with open_client(guarded, tmp_path) as (client, _):
        assert await post(client, guarded) == 200
    assert (guarded.count("/token"), guarded.count("/mcp")) == (2, refused + 1)


async def test_a_revoked_login_says_so(guarded: OAuthServer, tmp_path: Path) -> None:
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    guarded.end_tokens()
    guarded.refresh_tokens.clear()
    async with open_client(guarded, tmp_path) as (client, auth):
        assert await post(client, guarded) == 401
        assert auth.refusal and auth.refusal.message == "login needed: the last one has ended"
        assert await post(client, guarded) == 401
    assert guarded.count("/token") == 2  # what the server has ended is not sent again
    login = read_login(tmp_path, guarded.server)
    assert login and (login.access_token, login.client_id) == ("", "client-1")


async def test_a_failing_refresh_keeps_the_login(guarded: OAuthServer, tmp_path: Path) -> None:
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    guarded.end_tokens()
    guarded.token_status = 503
    async with open_client(guarded, tmp_path) as (client, _):
        assert await post(client, guarded) == 401
        guarded.token_status = 0
        assert await post(client, guarded) == 200


async def test_more_rights_are_noted(guarded: OAuthServer, tmp_path: Path) -> None:
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    guarded.wanted_scope = "admin"
    async with open_client(guarded, tmp_path) as (client, auth):
        assert await post(client, guarded) == 403
        assert auth.refusal
        assert auth.refusal.message == "login needed: with more rights, admin"
        await log_in(guarded.server, tmp_path, ScriptedBrowser())
        assert await post(client, guarded) == 200


def test_a_header_of_the_entry_is_left_alone(guarded: OAuthServer, tmp_path: Path) -> None:
    server = replace(guarded.server, headers={"authorization": "Bearer mine"})
    assert build_auth(server, tmp_path) is None


async def test_a_login_of_another_process_is_not_lost(guarded: OAuthServer, tmp_path: Path) -> None:
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    other = replace(guarded.server, name="second")
    await log_in(other, tmp_path, ScriptedBrowser())
    update_login(tmp_path, other, lambda _: None)
    assert read_login(tmp_path, guarded.server)


@pytest.mark.parametrize(
    ("status", "body", "message"),
    [
        (200, {"ok": False, "error": "invalid_refresh_token"}, "the last one has ended"),
        (400, {"error": "invalid_grant"}, "the last one has ended"),
        (401, {"error": "invalid_client"}, "the last one has ended"),
        (429, {}, "cannot be renewed now, .* says: HTTP 429"),
        (503, {"error": "server_error"}, "cannot be renewed now, .* says: server_error"),
    ],
)
async def test_failed_refresh_says_what_to_do(
    guarded: OAuthServer, tmp_path: Path, status: int, body: dict[str, object], message: str
) -> None:
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    guarded.end_tokens()
    kind = {"Content-Type": "application/json"}
    guarded.routes["/token"] = lambda request: {"status": status, "body": body, "headers": kind}
    async with open_client(guarded, tmp_path) as (client, auth):
        assert [await post(client, guarded) for _ in range(3)] == [401] * 3
        assert auth.refusal and re.search(message, auth.refusal.message)
    is_over = "ended" in message
    assert guarded.count("/token") == (2 if is_over else 4)
    login = read_login(tmp_path, guarded.server)
    assert login and bool(login.access_token) != is_over
    assert bool(login.client_id) == (status != 401)


async def test_refresh_asks_for_the_granted_scope(guarded: OAuthServer, tmp_path: Path) -> None:
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    guarded.end_tokens()
    async with open_client(guarded, tmp_path) as (client, _):
        assert await post(client, guarded) == 200
    refresh = next(each.raw for each in guarded.requests if b"=refresh_token" in each.raw)
    assert b"scope=tools" in refresh


@pytest.mark.parametrize("lifetime", [-5, 0, None])
async def test_lifetime_that_is_none_is_unknown(
    guarded: OAuthServer, tmp_path: Path, lifetime: int | None
) -> None:
    guarded.lifetime = lifetime
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    async with open_client(guarded, tmp_path) as (client, _):
        assert [await post(client, guarded) for _ in range(3)] == [200] * 3
    assert guarded.count("/token") == 1


class SlowToken:
    """A token endpoint that answers when it is let."""

    def __init__(self, guarded: OAuthServer) -> None:
        self.asked, self._may_answer = Event(), Event()
        self._give = guarded.routes["/token"]
        guarded.routes["/token"] = self._answer

    def _answer(self, request: Request) -> Answer:
        answer = self._give(request)  # the old refresh token is good no more
        self.asked.set()
        assert self._may_answer.wait(30)
        return answer

    async def wait(self) -> None:
        assert await asyncio.to_thread(self.asked.wait, 30)

    def let(self) -> None:
        asyncio.get_running_loop().call_later(0.2, self._may_answer.set)


async def cancel_group(guarded: OAuthServer, home: Path, slow: SlowToken) -> None:
    async with open_client(guarded, home) as (client, _), anyio.create_task_group() as group:
        group.start_soon(post, client, guarded)
        await slow.wait()
        slow.let()
        group.cancel_scope.cancel()


async def let_deadline_pass(guarded: OAuthServer, home: Path, slow: SlowToken) -> None:
    async with open_client(guarded, home) as (client, _):
        with anyio.move_on_after(60) as scope:
            async with anyio.create_task_group() as group:
                group.start_soon(post, client, guarded)
                await slow.wait()
                slow.let()
                scope.deadline = anyio.current_time()


async def close_connection(guarded: OAuthServer, home: Path, slow: SlowToken) -> None:
    connections = McpConnections(home)
    server = McpServer("guarded", "http", url=guarded.server.url)
    listing = asyncio.create_task(connections.get(server).list_definitions(refresh=True))
    await slow.wait()
    slow.let()
    await connections.close()
    await asyncio.wait([listing])
    assert listing.cancelled() or isinstance(listing.exception(), McpError)


async def cancel_call(guarded: OAuthServer, home: Path, slow: SlowToken) -> None:
    connections = McpConnections(home)
    server = McpServer("guarded", "http", url=guarded.server.url)
    listing = asyncio.create_task(connections.get(server).list_definitions(refresh=True))
    await slow.wait()
    listing.cancel()
    slow.let()
    await asyncio.wait([listing])
    await connections.close()


async def fail_beside_it(guarded: OAuthServer, home: Path, slow: SlowToken) -> None:
    async def fail() -> None:
        await slow.wait()
        slow.let()
        raise OSError

    with pytest.raises(ExceptionGroup):
        async with open_client(guarded, home) as (client, _), anyio.create_task_group() as group:
            group.start_soon(post, client, guarded)
            group.start_soon(fail)


WAYS = [cancel_group, let_deadline_pass, close_connection, cancel_call, fail_beside_it]


@pytest.mark.parametrize("way", WAYS)
async def test_cancel_does_not_lose_a_new_token(
    guarded: OAuthServer, tmp_path: Path, way: Callable[..., Awaitable[None]]
) -> None:
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    guarded.end_tokens()
    slow = SlowToken(guarded)
    await way(guarded, tmp_path, slow)
    login = read_login(tmp_path, guarded.server)
    assert login and login.refresh_token in guarded.refresh_tokens


async def test_logout_during_a_refresh_stays(guarded: OAuthServer, tmp_path: Path) -> None:
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    guarded.end_tokens()
    slow = SlowToken(guarded)
    async with open_client(guarded, tmp_path) as (client, _):
        posting = asyncio.create_task(post(client, guarded))
        await slow.wait()
        await log_out(guarded.server, tmp_path)
        slow.let()
        await posting
    assert read_login(tmp_path, guarded.server) is None


async def test_more_rights_do_not_undo_a_refresh(guarded: OAuthServer, tmp_path: Path) -> None:
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    async with (
        open_client(guarded, tmp_path) as (client, _),
        open_client(guarded, tmp_path) as (other, _),
    ):
        assert await post(client, guarded) == 200
        guarded.end_tokens()
        refuse = guarded.routes["/mcp"]

        def serve(request: Request) -> Answer:
            guarded.routes["/mcp"] = refuse
            asyncio.run_coroutine_threadsafe(post(other, guarded), loop).result(30)
            challenge = 'Bearer error="insufficient_scope", scope="admin"'
            return {"status": 403, "body": {}, "headers": {"WWW-Authenticate": challenge}}

        loop = asyncio.get_running_loop()
        guarded.routes["/mcp"] = serve
        await post(client, guarded)
    login = read_login(tmp_path, guarded.server)
    assert login and login.refresh_token in guarded.refresh_tokens
