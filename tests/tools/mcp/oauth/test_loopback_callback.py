"""The port that a browser is redirected to."""

import asyncio
import socket
from urllib.parse import urlsplit

import httpx2
import pytest

from maxagent.tools.mcp.oauth.loopback_callback import LoopbackCallback, read_redirect


async def test_only_the_redirect_of_this_login_counts() -> None:
    async with LoopbackCallback("right") as callback, httpx2.AsyncClient() as client:
        assert (await client.get(f"{callback.redirect_uri}?state=wrong&code=a")).status_code == 400
        assert (await client.get(f"{callback.redirect_uri}x?state=right")).status_code == 404
        assert (await client.post(f"{callback.redirect_uri}?state=right")).status_code == 404
        answer = await client.get(f"{callback.redirect_uri}?state=right&code=a%20b")
        assert (answer.status_code, "goes on" in answer.text) == (200, True)
        assert await callback.wait() == {"state": "right", "code": "a b"}


@pytest.mark.parametrize("sent", [b"", b"\r\n", b"GET\r\n\r\n", b"x" * 70_000])
async def test_nonsense_does_not_end_the_wait(sent: bytes) -> None:
    async with LoopbackCallback("right") as callback, httpx2.AsyncClient() as client:
        port = urlsplit(callback.redirect_uri).port
        _, writer = await asyncio.open_connection("127.0.0.1", port)
        writer.write(sent)
        writer.close()
        await client.get(f"{callback.redirect_uri}?state=right&error=denied")
        assert (await callback.wait())["error"] == "denied"


async def test_a_taken_port_is_replaced() -> None:
    with socket.create_server(("127.0.0.1", 0)) as result:
        port = int(result.getsockname()[1])
        async with LoopbackCallback("x", port) as callback:
            assert urlsplit(callback.redirect_uri).port != port


def test_a_redirect_is_read_as_pasted() -> None:
    assert read_redirect(" http://127.0.0.1:1/callback?code=a%2Fb&state=&code=c \n") == {
        "code": "a/b",
        "state": "",
    }


@pytest.mark.parametrize(
    "pasted",
    [
        "http://127.0.0.1:1/callback?code=c&state=s",
        '"http://127.0.0.1:1/callback?code=c&state=s"\n',
        "<http://127.0.0.1:1/callback?code=c&state=s>",
        "http://127.0.0.1:1/call\nback?code=c&sta\n te=s",
        "?code=c&state=s",
        "code=c&state=s",
    ],
)
def test_pasted_address_is_read(pasted: str) -> None:
    assert read_redirect(pasted) == {"code": "c", "state": "s"}
