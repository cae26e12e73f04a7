"""Servers that end a connection in silence: the scheme or the certificate they want is found."""

import asyncio
import ssl
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx2
import pytest

from maxagent.config.network import probe
from maxagent.config.network.client import open_client
from maxagent.config.network.failures import (
    CLIENT_CERTIFICATE_HINT,
    find_hint,
    find_page_hint,
    is_lasting,
)
from maxagent.config.network.response_limits import ResponseLimits

TLS = Path(__file__).parents[2] / "fixtures" / "tls"
LIMITS = ResponseLimits(1_000_000, 20.0)
OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nhi"
# What a server does with bytes that are no request of HTTP
HABITS = {"closes": b"", "answers": b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n"}


@pytest.fixture(autouse=True)
def authority(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "authority.pem"))


def make_context(*, wants_certificate: bool = False, newest: str = "TLSv1_3") -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "server.pem")
    context.maximum_version = ssl.TLSVersion[newest]
    if wants_certificate:
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations(TLS / "authority.pem")
    return context


@asynccontextmanager
async def serve(context: ssl.SSLContext | None, habit: str = "closes") -> AsyncIterator[int]:
    """Serve a page; the habit is what strange bytes get, `waits` for nothing."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line = await reader.readline() if habit == "waits" else await reader.read(16)
            writer.write(OK if line[:4] in (b"GET ", b"HEAD", b"POST") else HABITS[habit])
            await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()


async def post(url: str, *, seconds: float = 10.0) -> httpx2.Response:
    async with open_client(LIMITS, timeout=seconds) as client:
        return await client.post(url, content=b"x" * 100_000)


@pytest.mark.parametrize("newest", ["TLSv1_2", "TLSv1_3"])
@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
@pytest.mark.parametrize("wants_certificate", [False, True])
async def test_http_to_a_tls_port_is_named(host: str, newest: str, wants_certificate: bool) -> None:
    context = make_context(wants_certificate=wants_certificate, newest=newest)
    async with serve(context) as port:
        with pytest.raises(httpx2.UnsupportedProtocol, match="wants `https://`") as caught:
            await post(f"http://{host}:{port}/v1")
    assert is_lasting(caught.value)
    assert f"`https://{host}:{port}…`" in find_hint(caught.value)


@pytest.mark.parametrize("habit", [*HABITS, "waits"])
async def test_https_to_a_plain_port_is_named(habit: str) -> None:
    async with serve(None, habit) as port:
        with pytest.raises(httpx2.UnsupportedProtocol, match="wants `http://`") as caught:
            await post(f"https://localhost:{port}/v1", seconds=0.5)
    assert is_lasting(caught.value) and f"`http://localhost:{port}…`" in find_hint(caught.value)


async def test_an_end_after_the_handshake_is_explained() -> None:
    async with serve(make_context(wants_certificate=True)) as port:
        with pytest.raises(httpx2.TransportError, match="client certificate") as caught:
            await post(f"https://localhost:{port}/")
    assert find_hint(caught.value) == CLIENT_CERTIFICATE_HINT


@pytest.mark.parametrize("newest", ["TLSv1_2", "TLSv1_3"])
async def test_a_missing_client_certificate_is_named(newest: str) -> None:
    server = ThreadingHTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    server.handle_error = lambda request, client_address: None
    context = make_context(wants_certificate=True, newest=newest)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    with pytest.raises(httpx2.TransportError, match="wants a client certificate") as caught:
        await post(f"https://localhost:{server.server_port}/")
    server.shutdown()
    thread.join()
    server.server_close()
    assert find_hint(caught.value) == CLIENT_CERTIFICATE_HINT and is_lasting(caught.value)


@pytest.mark.parametrize("scheme", ["http", "https"])
async def test_a_server_that_only_breaks_off_is_not_misread(
    scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(probe, "ALERT_SECONDS", 0.2)
    monkeypatch.setattr(probe, "PROBE_SECONDS", 1.0)

    async def hang_up(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(16)
        writer.close()

    context = make_context() if scheme == "https" else None
    server = await asyncio.start_server(hang_up, "127.0.0.1", 0, ssl=context)
    port = server.sockets[0].getsockname()[1]
    with pytest.raises(httpx2.TransportError) as caught:
        await post(f"{scheme}://localhost:{port}/")
    server.close()
    assert not is_lasting(caught.value) and not find_hint(caught.value)


@pytest.mark.parametrize(
    ("page", "hint"),
    [
        ("<center>The plain HTTP request was sent to HTTPS port</center>", "`https://`"),
        ("Client sent an HTTP request to an HTTPS server.\n", "`https://`"),
        ("You're speaking plain HTTP to an SSL-enabled server port.", "`https://`"),
        ("Bad Request\nThis combination of host and port requires TLS.", "`https://`"),
        ("<center>No required SSL certificate was sent</center>", "no client certificates"),
        ("<center>The SSL certificate error</center>", "no client certificates"),
        ("403.7 - Forbidden: Client certificate required", "no client certificates"),
        ('{"error": {"message": "invalid model"}}', ""),
    ],
)
def test_an_error_page_says_what_is_wanted(page: str, hint: str) -> None:
    assert hint in find_page_hint(page) and bool(find_page_hint(page)) is bool(hint)
