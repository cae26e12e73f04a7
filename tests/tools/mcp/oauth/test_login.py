"""Logins to a server, against a stand-in."""

import socket
import stat
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from oauth_server import OAuthServer, ScriptedBrowser, Server
from provider import Answer, Request

from maxagent.config.paths import locate_mcp_logins
from maxagent.tools.mcp.oauth.errors import LoginError
from maxagent.tools.mcp.oauth.login import LoginResult, log_in, log_out
from maxagent.tools.mcp.oauth.storage import read_login, update_login


@pytest.fixture
def guarded() -> Iterator[OAuthServer]:
    with OAuthServer() as server:
        yield server


async def test_a_login_registers_consents_and_is_stored(
    guarded: OAuthServer, tmp_path: Path
) -> None:
    browser = ScriptedBrowser()
    result = await log_in(guarded.server, tmp_path, browser)
    assert result == LoginResult(guarded.issuer, "tools")
    assert "MaxAgent goes on" in browser.page
    asked = browser.asked
    assert (asked["code_challenge_method"], asked["resource"]) == ("S256", guarded.server.url)
    client = guarded.clients["client-1"]
    assert client["token_endpoint_auth_method"] == "none"
    assert client["application_type"] == "native"
    assert stat.S_IMODE(locate_mcp_logins(tmp_path).stat().st_mode) == 0o600
    login = read_login(tmp_path, guarded.server)
    assert login and login.access_token in guarded.tokens
    assert login.access_token not in repr(login)


async def test_a_login_is_for_one_address_only(guarded: OAuthServer, tmp_path: Path) -> None:
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    assert read_login(tmp_path, Server("guarded", "https://elsewhere.example/mcp")) is None


async def test_a_pasted_redirect_ends_the_login(guarded: OAuthServer, tmp_path: Path) -> None:
    browser = ScriptedBrowser(pastes=True)
    assert await log_in(guarded.server, tmp_path, browser) == LoginResult(guarded.issuer, "tools")


async def test_a_second_login_keeps_client_and_port(guarded: OAuthServer, tmp_path: Path) -> None:
    first, second = ScriptedBrowser(), ScriptedBrowser()
    await log_in(guarded.server, tmp_path, first)
    await log_in(guarded.server, tmp_path, second)
    assert guarded.count("/register") == 1
    assert first.asked["redirect_uri"] == second.asked["redirect_uri"]


async def test_another_issuer_gets_a_client_of_its_own(
    guarded: OAuthServer, tmp_path: Path
) -> None:
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    update_login(
        tmp_path,
        guarded.server,
        lambda login: replace(login, issuer="https://old.example") if login else None,
    )
    browser = ScriptedBrowser()
    await log_in(guarded.server, tmp_path, browser)
    assert browser.asked["client_id"] == "client-2"


async def test_a_configured_client_meets_no_new_issuer(
    guarded: OAuthServer, tmp_path: Path
) -> None:
    server = replace(guarded.server, oauth={"client_id": "mine"})
    guarded.clients["mine"] = {}
    await log_in(server, tmp_path, ScriptedBrowser())
    assert guarded.count("/register") == 0
    update_login(
        tmp_path,
        server,
        lambda login: replace(login, issuer="https://old.example") if login else None,
    )
    with pytest.raises(LoginError, match="logins of another server now"):
        await log_in(server, tmp_path, ScriptedBrowser())


async def test_a_metadata_document_needs_no_registration(
    guarded: OAuthServer, tmp_path: Path
) -> None:
    guarded.metadata = {"client_id_metadata_document_supported": True}
    document = "https://maxagent.example/client.json"
    server = replace(guarded.server, oauth={"client_metadata_url": document})
    browser = ScriptedBrowser()
    await log_in(server, tmp_path, browser)
    assert (browser.asked["client_id"], guarded.count("/register")) == (document, 0)


@pytest.mark.parametrize("method", ["client_secret_basic", "client_secret_post"])
async def test_a_server_that_wants_secrets_gets_them(
    guarded: OAuthServer, tmp_path: Path, method: str
) -> None:
    guarded.metadata = {"token_endpoint_auth_methods_supported": [method]}
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    assert guarded.clients["client-1"]["token_endpoint_auth_method"] == method
    assert len(guarded.tokens) == 1


async def test_an_open_server_needs_no_login(guarded: OAuthServer, tmp_path: Path) -> None:
    guarded.open = "all"
    assert await log_in(guarded.server, tmp_path, ScriptedBrowser()) == LoginResult("")


async def test_a_login_for_calls_only_is_found(guarded: OAuthServer, tmp_path: Path) -> None:
    guarded.open = "connecting"
    assert (await log_in(guarded.server, tmp_path, ScriptedBrowser())).scope == "tools"


async def test_a_header_of_the_entry_excludes_a_login(guarded: OAuthServer, tmp_path: Path) -> None:
    server = replace(guarded.server, headers={"authorization": "Bearer mine"})
    with pytest.raises(LoginError, match="`Authorization` header in its entry"):
        await log_in(server, tmp_path, ScriptedBrowser())


async def test_more_rights_are_asked_with_the_old(guarded: OAuthServer, tmp_path: Path) -> None:
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    update_login(
        tmp_path,
        guarded.server,
        lambda login: replace(login, wanted_scope="admin") if login else None,
    )
    browser = ScriptedBrowser()
    await log_in(guarded.server, tmp_path, browser)
    assert browser.asked["scope"] == "tools admin"
    login = read_login(tmp_path, guarded.server)
    assert login and (login.scope, login.wanted_scope) == ("tools admin", "")


REFUSED: list[tuple[dict[str, Any], str]] = [
    ({"resource": "https://other.example/mcp"}, "belongs to https://other.example/mcp"),
    ({"metadata": {"issuer": "https://evil.example"}}, "belongs to https://evil.example"),
    ({"metadata": {"authorization_endpoint": "http://evil.example/a"}}, "is not safe for a login"),
    ({"metadata": {"token_endpoint": "http://evil.example/token"}}, "is not safe for a login"),
    ({"metadata": {"registration_endpoint": "http://evil.example/r"}}, "is not safe for a login"),
    ({"metadata": {"revocation_endpoint": "http://evil.example/r"}}, "is not safe for a login"),
    ({"metadata": {"code_challenge_methods_supported": ["plain"]}}, "does not support PKCE"),
    ({"metadata": {"code_challenge_methods_supported": None}}, "not say that it supports PKCE"),
    ({"metadata": {"code_challenge_methods_supported": []}}, "not say that it supports PKCE"),
    ({"metadata": {"token_endpoint": "https://169.254.169.254/"}}, "may not send us"),
    ({"metadata": {"registration_endpoint": "https://169.254.1.1/r"}}, "may not send us"),
    ({"metadata": {"registration_endpoint": None}}, "does not register clients"),
    ({"iss": "https://evil.example"}, "answered by https://evil.example instead"),
    ({"metadata": {"authorization_response_iss_parameter_supported": True}}, "answered by ?"),
    ({"refusal": "access_denied"}, "refused the login: access_denied"),
    ({"token_status": 500}, "did not issue a token: server_error"),
]


@pytest.mark.parametrize(("fields", "message"), REFUSED)
async def test_a_wrong_answer_ends_the_login(
    guarded: OAuthServer, tmp_path: Path, fields: dict[str, Any], message: str
) -> None:
    for name, value in fields.items():
        setattr(guarded, name, value)
    with pytest.raises(LoginError) as caught:
        await log_in(guarded.server, tmp_path, ScriptedBrowser())
    assert message in caught.value.message
    assert read_login(tmp_path, guarded.server) is None


async def test_logout_revokes_and_forgets(guarded: OAuthServer, tmp_path: Path) -> None:
    assert await log_out(guarded.server, tmp_path) is None
    await log_in(guarded.server, tmp_path, ScriptedBrowser())
    login = read_login(tmp_path, guarded.server)
    assert await log_out(guarded.server, tmp_path) == ""
    assert login and guarded.revoked == [login.refresh_token]
    assert read_login(tmp_path, guarded.server) is None


async def test_an_unreachable_server_is_named(tmp_path: Path) -> None:
    with pytest.raises(LoginError, match="the login to `gone` failed"):
        await log_in(Server("gone", "http://127.0.0.1:9/mcp"), tmp_path, ScriptedBrowser())


@pytest.mark.parametrize(
    "text",
    [
        "http://127.0.0.1:9/meta",
        "http://localhost/meta",
        "https://10.0.0.1/meta",
        "http://169.254.169.254/latest/meta-data",
        "https://other.example/.well-known/oauth-protected-resource",
        "file:///etc/passwd",
    ],
)
async def test_metadata_of_another_origin_are_not_read(
    guarded: OAuthServer, tmp_path: Path, text: str
) -> None:
    challenge = {"WWW-Authenticate": f'Bearer resource_metadata="{text}"'}
    guarded.routes = {"/mcp": lambda request: {"status": 401, "headers": challenge, "body": {}}}
    with pytest.raises(LoginError, match="names metadata of another origin"):
        await log_in(guarded.server, tmp_path, ScriptedBrowser())


@pytest.mark.parametrize(
    ("advertised", "issuer", "path"),
    [
        ("/", "", ""),
        ("", "/", ""),
        ("/tenant", "/tenant", "/tenant"),
        ("/tenant/", "/tenant", "/tenant"),
        ("/tenant", "/tenant/", "/tenant"),
        ("/a/b/", "/a/b", "/a/b"),
    ],
)
async def test_slash_at_the_end_is_no_other_issuer(
    guarded: OAuthServer, tmp_path: Path, advertised: str, issuer: str, path: str
) -> None:
    guarded.advertised = advertised
    guarded.metadata = {"issuer": f"{guarded.issuer}{issuer}"}
    metadata = guarded.routes.pop("/.well-known/oauth-authorization-server")
    guarded.routes[f"/.well-known/oauth-authorization-server{path}"] = metadata
    assert (await log_in(guarded.server, tmp_path, ScriptedBrowser())).issuer


@pytest.mark.parametrize("issuer", ["/other", "/tenant/other", "@evil.example", "?tenant", "//"])
async def test_another_issuer_is_refused(guarded: OAuthServer, tmp_path: Path, issuer: str) -> None:
    guarded.metadata = {"issuer": f"{guarded.issuer}{issuer}"}
    with pytest.raises(LoginError, match="belongs to"):
        await log_in(guarded.server, tmp_path, ScriptedBrowser())


@pytest.mark.parametrize(
    "fields",
    [
        {"service_documentation": "", "op_policy_uri": ""},
        {"revocation_endpoint": ""},
        {"scopes_supported": "tools"},
        {"grant_types_supported": None, "response_types_supported": None},
        {"op_tos_uri": "not an address", "service_documentation": 5},
        {"token_endpoint_auth_methods_supported": "none"},
    ],
)
async def test_wrong_optional_metadata_are_left_out(
    guarded: OAuthServer, tmp_path: Path, fields: dict[str, Any]
) -> None:
    page = guarded.routes["/.well-known/oauth-authorization-server"]

    def describe(request: Request) -> Answer:
        answer = page(request)
        return {**answer, "body": {**answer["body"], **fields}}

    guarded.routes["/.well-known/oauth-authorization-server"] = describe
    assert (await log_in(guarded.server, tmp_path, ScriptedBrowser())).scope == "tools"


@pytest.mark.parametrize(
    ("fields", "status", "message"),
    [
        ({"token_endpoint": 5}, 200, "metadata .* are wrong: `token_endpoint`"),
        ({"authorization_endpoint": "x"}, 200, "are wrong: `authorization_endpoint`"),
        ({}, 500, "cannot be read: HTTP 500"),
        ({}, 404, "publishes no metadata"),
        ({"issuer": None}, 200, "publishes no metadata"),
    ],
)
async def test_useless_metadata_are_named(
    guarded: OAuthServer, tmp_path: Path, fields: dict[str, Any], status: int, message: str
) -> None:
    guarded.metadata = fields
    page = guarded.routes["/.well-known/oauth-authorization-server"]
    guarded.routes["/.well-known/oauth-authorization-server"] = lambda request: {
        **page(request),
        "status": status,
    }
    with pytest.raises(LoginError, match=message):
        await log_in(guarded.server, tmp_path, ScriptedBrowser())


FIRST: list[tuple[str, dict[str, Any] | None, int]] = [
    ("http://127.0.0.1:9", None, 0),
    ("http://no-such-host.invalid", None, 0),
    ("https://169.254.169.254", None, 0),
    ("/first", None, 404),
    ("/first", {}, 503),
    ("/first", {"issuer": "https://evil.example"}, 200),
    ("/first", {"token_endpoint": 5}, 200),
    ("/first", {"code_challenge_methods_supported": ["plain"]}, 200),
    ("/first", {"authorization_endpoint": "http://evil.example/a"}, 200),
]


@pytest.mark.parametrize(("first", "fields", "status"), FIRST)
async def test_second_authorization_server_is_used(
    guarded: OAuthServer, tmp_path: Path, first: str, fields: dict[str, Any] | None, status: int
) -> None:
    issuer = f"{guarded.issuer}{first}" if first.startswith("/") else first
    guarded.others_before = [issuer]
    page = guarded.routes["/.well-known/oauth-authorization-server"]

    def describe(request: Request) -> Answer:
        answer = page(request)
        body = {**answer["body"], "issuer": issuer, **(fields or {})}
        return {**answer, "status": status, "body": body}

    if fields is not None:
        guarded.routes["/.well-known/oauth-authorization-server/first"] = describe
    result = await log_in(guarded.server, tmp_path, ScriptedBrowser())
    assert result.issuer.removesuffix("/") == guarded.issuer
    guarded.routes["/.well-known/oauth-authorization-server"] = lambda request: {"status": 503}
    with pytest.raises(LoginError) as caught:
        await log_in(guarded.server, tmp_path, ScriptedBrowser())
    assert "503" in caught.value.message  # the server of the last login was asked first


async def test_servers_that_all_fail_name_the_first(guarded: OAuthServer, tmp_path: Path) -> None:
    guarded.others_before = ["http://127.0.0.1:9"]
    del guarded.routes["/.well-known/oauth-authorization-server"]
    with pytest.raises(LoginError, match=r"the login to `guarded` failed: 127\.0\.0\.1"):
        await log_in(guarded.server, tmp_path, ScriptedBrowser())


def as_form(answer: dict[str, Any]) -> Answer:
    kind = {"Content-Type": "application/x-www-form-urlencoded; charset=utf-8"}
    return {"status": 200, "body": urlencode(answer), "headers": kind}


def as_json(**fields: object) -> Callable[[dict[str, Any]], Answer]:
    kind = {"Content-Type": "application/json"}
    return lambda answer: {"status": 200, "body": {**answer, **fields}, "headers": kind}


@pytest.mark.parametrize(
    "reply",
    [
        as_form,
        as_json(scope=["tools"]),
        as_json(scope=None),
        as_json(expires_in="3600"),
        as_json(token_type="BEARER"),
    ],
)
async def test_odd_token_is_read(
    guarded: OAuthServer, tmp_path: Path, reply: Callable[[dict[str, Any]], Answer]
) -> None:
    guarded.reply = reply
    assert (await log_in(guarded.server, tmp_path, ScriptedBrowser())).scope == "tools"


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ({"ok": False, "error": "bad_code"}, "did not issue a token: bad_code"),
        ({"access_token": "t", "token_type": "DPoP"}, "without a valid token: token_type"),
        ({"access_token": 5}, "without a valid token: access_token"),
        ({}, "its answer has no token"),
        ("<html>", "its answer has no token"),
        ({"error": "invalid_client"}, "invalid_client"),
    ],
)
async def test_answer_without_a_token_is_named(
    guarded: OAuthServer, tmp_path: Path, body: object, message: str
) -> None:
    kind = {"Content-Type": "application/json"}
    guarded.reply = lambda answer: {"status": 200, "body": body, "headers": kind}
    with pytest.raises(LoginError, match=message) as caught:
        await log_in(guarded.server, tmp_path, ScriptedBrowser())
    assert ("mcode mcp logout" in str(caught.value.hint)) == ("client" in message)


async def test_busy_configured_port_is_named(guarded: OAuthServer, tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        server = replace(guarded.server, oauth={"callback_port": f"{port}"})
        with pytest.raises(LoginError, match=f"port {port} for the redirect is in use"):
            await log_in(server, tmp_path, ScriptedBrowser())
