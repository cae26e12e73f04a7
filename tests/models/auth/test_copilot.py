"""Access to Copilot: exchange, renewal, headers; against a stand-in for GitHub."""

import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from github import TOKEN, GitHub
from provider import Answer, Request

from maxagent import __version__
from maxagent.config.errors import UsageError
from maxagent.config.settings.schema import CopilotSection
from maxagent.models.auth.copilot import (
    CopilotAccess,
    list_copilot_models,
    open_session,
    read_account,
)
from maxagent.models.auth.copilot_login import CopilotLogin
from maxagent.models.auth.credentials import (
    Credential,
    delete_credential,
    read_credentials,
    store_credential,
)
from maxagent.models.errors import AuthenticationError, ModelCallError, ProviderFaultError


@pytest.fixture
def github() -> Iterator[GitHub]:
    with GitHub() as server:
        yield server


@pytest.fixture
def login(github: GitHub, tmp_path: Path) -> CopilotLogin:
    settings = CopilotSection(host=github.host, api_host=github.host, integration_id="acme")
    store_credential(tmp_path, "copilot", Credential(TOKEN, host=github.host))
    return CopilotLogin(tmp_path, settings)


async def test_a_request_gets_a_fresh_token_and_its_address(
    github: GitHub, login: CopilotLogin
) -> None:
    access = await CopilotAccess(login).get_access("user")
    assert access.base_url == f"{github.host}/copilot"
    assert access.headers == {
        "Authorization": "Bearer tid=session-1-of-this-account",
        "Copilot-Integration-Id": "acme",
        "Editor-Version": f"maxagent/{__version__}",
        "X-Initiator": "user",
    }
    assert github.requests[0].headers["User-Agent"] == f"maxagent/{__version__}"
    assert "tid=" not in repr(access)


async def test_a_valid_token_is_used_again(github: GitHub, login: CopilotLogin) -> None:
    source = CopilotAccess(login)
    first = await source.get_access("user")
    assert await source.get_access("user") == first
    assert await CopilotAccess(login).get_access("user") == first
    assert github.exchanges == 1


async def test_a_token_is_renewed_before_it_ends(github: GitHub, login: CopilotLogin) -> None:
    await open_session(login)
    stored = read_credentials(login.home)["copilot"]
    assert stored.renew_at < stored.expires_at and stored.renew_at < time.time() + 1501
    store_credential(login.home, "copilot", replace(stored, renew_at=time.time() - 1))
    await open_session(login)
    assert github.exchanges == 2


async def test_a_rejected_token_is_renewed(github: GitHub, login: CopilotLogin) -> None:
    source = CopilotAccess(login)
    first = await source.get_access("user")
    second = await source.renew_access(first, "agent")
    assert second and second.headers["Authorization"] != first.headers["Authorization"]
    # another process holds the old one: it takes the new one without an exchange
    assert await CopilotAccess(login).renew_access(first, "agent") == second
    assert github.exchanges == 2


async def test_without_exchange_the_token_is_sent_itself(
    github: GitHub, login: CopilotLogin
) -> None:
    settings = login.settings.model_copy(update={"exchange": False})
    source = CopilotAccess(CopilotLogin(login.home, settings, "http://127.0.0.1:1/own"))
    access = await source.get_access("user")
    assert access.headers["Authorization"] == f"Bearer {TOKEN}"
    assert access.base_url == "http://127.0.0.1:1/own"
    assert await source.renew_access(access, "user") is None
    assert github.exchanges == 0


def test_two_processes_exchange_once(github: GitHub, login: CopilotLogin) -> None:
    code = (
        "import asyncio, sys; from pathlib import Path;"
        "from maxagent.config.settings.schema import CopilotSection;"
        "from maxagent.models.auth.copilot import open_session;"
        "from maxagent.models.auth.copilot_login import CopilotLogin;"
        "login = CopilotLogin(Path(sys.argv[1]), CopilotSection(api_host=sys.argv[2]));"
        "print('ready', flush=True); sys.stdin.readline();"
        "print(asyncio.run(open_session(login)).session)"
    )
    command = [sys.executable, "-c", code, str(login.home), github.host]
    running = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for process in running:
        assert process.stdout and process.stdout.readline() == "ready\n"
    printed = [process.communicate("go\n")[0] for process in running]
    assert printed == ["tid=session-1-of-this-account\n"] * 2
    assert github.exchanges == 1


@pytest.mark.parametrize(
    ("status", "kind", "hint"),
    [
        (401, AuthenticationError, "mcode auth login copilot"),
        (403, AuthenticationError, "no GitHub Copilot"),
        (404, ModelCallError, "copilot.exchange false"),
        (503, ProviderFaultError, ""),
    ],
)
async def test_a_refused_exchange_says_what_to_do(
    github: GitHub, login: CopilotLogin, status: int, kind: type[ModelCallError], hint: str
) -> None:
    github.refusal = status
    with pytest.raises(kind) as caught:
        await open_session(login)
    assert hint in caught.value.hint and TOKEN not in caught.value.message
    assert github.exchanges == 1


async def test_a_login_of_another_host_is_not_sent(github: GitHub, login: CopilotLogin) -> None:
    settings = login.settings.model_copy(update={"api_host": "api.example.com"})
    with pytest.raises(UsageError, match="not for https://api.example.com"):
        await open_session(replace(login, settings=settings))


async def test_without_a_login_the_command_is_named(github: GitHub, login: CopilotLogin) -> None:
    delete_credential(login.home, "copilot")
    with pytest.raises(UsageError, match="not logged in") as caught:
        await open_session(login)
    assert "mcode auth login copilot" in caught.value.hint


async def test_a_logout_meanwhile_stays(github: GitHub, login: CopilotLogin) -> None:
    exchange = github.routes["/copilot_internal/v2/token"]

    def log_out(request: Request) -> Answer:
        delete_credential(login.home, "copilot")
        return exchange(request)

    github.routes["/copilot_internal/v2/token"] = log_out
    await open_session(login)
    assert read_credentials(login.home) == {}


@pytest.mark.parametrize(
    ("limits", "context"),
    [
        ({"max_context_window_tokens": 128_000, "max_prompt_tokens": 64_000}, 64_000),
        ({"max_context_window_tokens": 200_000, "max_prompt_tokens": 90_000}, 90_000),
        ({"max_context_window_tokens": 32_768, "max_prompt_tokens": 40_000}, 32_768),
        ({"max_context_window_tokens": 264_000, "max_prompt_tokens": None}, 264_000),
        ({"max_prompt_tokens": 111_488}, 111_488),
        ({"max_context_window_tokens": 0, "max_prompt_tokens": 12_288}, 12_288),
        ({"max_context_window_tokens": "many"}, None),
        ({}, None),
    ],
)
async def test_smaller_limit_of_model_counts(
    limits: dict[str, Any], context: int | None, github: GitHub, login: CopilotLogin
) -> None:
    rows = [{"id": "gpt-5", "capabilities": {"limits": limits}}]
    github.routes["/copilot/models"] = lambda _: {"status": 200, "body": {"data": rows}}
    assert [each.context for each in await list_copilot_models(login)] == [context]


async def test_the_account_and_its_models_are_read(github: GitHub, login: CopilotLogin) -> None:
    assert await read_account(login, TOKEN) == "octocat"
    first, second = await list_copilot_models(login)
    assert (first.name, first.context, first.output, first.vision) == (
        "gpt-4o",
        128_000,
        16_384,
        True,
    )
    assert first.can_be_picked and not second.can_be_picked
    github.accepted.clear()
    assert len(await list_copilot_models(login)) == 2 and github.exchanges == 2
