"""A stored login on requests to its server, against a stand-in."""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import httpx2
import pytest
from oauth_server import OAuthServer, ScriptedBrowser

from maxagent.tools.mcp.oauth.login import log_in
from maxagent.tools.mcp.oauth.storage import read_login, update_login
from maxagent.tools.mcp.oauth.stored_login import StoredLogin, build_auth

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
