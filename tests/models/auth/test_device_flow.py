"""Login by a code, against a stand-in for GitHub."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs

import httpx2
import pytest
from github import ACCEPTED, CODE, PENDING, SLOWER, TOKEN, GitHub

from maxagent.models.auth.device_flow import DeviceCode, request_device_code, wait_for_token
from maxagent.models.errors import AuthenticationError, ProviderFaultError

Answers = Sequence[Mapping[str, Any]]


@pytest.fixture
def github() -> Iterator[GitHub]:
    with GitHub() as server:
        yield server


async def log_in(github: GitHub, answers: Answers, interval: float = 5) -> tuple[str, list[float]]:
    """Return the token and the pauses before each question."""
    github.device_answers, pauses = list(answers), list[float]()

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    code = DeviceCode("device-1", "ABCD-1234", "https://x", 900, interval)
    async with httpx2.AsyncClient() as client:
        return await wait_for_token(client, github.host, "app", code, pause=pause), pauses


async def test_the_code_and_its_address_are_returned(github: GitHub) -> None:
    async with httpx2.AsyncClient() as client:
        code = await request_device_code(client, github.host, "app")
    assert (code.user_code, code.address) == (CODE["user_code"], CODE["verification_uri"])
    sent = parse_qs(github.requests[0].raw.decode())
    assert sent == {"client_id": ["app"], "scope": ["read:user"]}
    assert "device-1" not in repr(code)


async def test_pending_waits_and_slow_down_adds_five_seconds(github: GitHub) -> None:
    token, pauses = await log_in(github, [PENDING, SLOWER, PENDING, ACCEPTED])
    assert (token, pauses) == (TOKEN, [5, 5, 10, 10])
    sent = parse_qs(github.requests[-1].raw.decode())
    assert sent["grant_type"] == ["urn:ietf:params:oauth:grant-type:device_code"]
    assert sent["device_code"] == ["device-1"]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        ("expired_token", "expired"),
        ("access_denied", "denied"),
        ("incorrect_client_credentials", "incorrect_client_credentials"),
    ],
)
async def test_a_refusal_ends_with_a_sentence(github: GitHub, error: str, message: str) -> None:
    with pytest.raises(AuthenticationError, match=message) as caught:
        await log_in(github, [PENDING, {"error": error}])
    assert "mcode auth login" in caught.value.hint


async def test_the_wait_ends_when_the_code_does(github: GitHub) -> None:
    with pytest.raises(AuthenticationError, match="expired"):
        await log_in(github, [PENDING] * 10, interval=300)
    assert len(github.requests) == 3


async def test_an_unknown_client_id_is_explained(github: GitHub) -> None:
    async with httpx2.AsyncClient() as client:
        with pytest.raises(ProviderFaultError, match="without JSON"):
            await request_device_code(client, f"{github.host}/nothing", "app")


async def test_an_unreachable_host_is_explained() -> None:
    async with httpx2.AsyncClient() as client:
        with pytest.raises(ProviderFaultError, match="could not be reached") as caught:
            await request_device_code(client, "http://127.0.0.1:9", "app")
    assert "copilot.host" in caught.value.hint
