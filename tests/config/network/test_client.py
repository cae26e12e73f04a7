"""The one client against real servers: bombs, proxies, certificates, addresses, time."""

import asyncio
import ssl
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from ipaddress import ip_address
from pathlib import Path

import httpx2
import pytest
from bomb_server import BombServer, make_bombs
from web_server import WebServer

from maxagent.config.network import client as client_module
from maxagent.config.network.addresses import IP, HostUnknownError
from maxagent.config.network.certificates import load_certificates
from maxagent.config.network.client import (
    AddressCheck,
    NetworkTransport,
    RefusedAddressError,
    RefusedResponseError,
    open_client,
)
from maxagent.config.network.failures import find_hint, is_lasting
from maxagent.config.network.response_limits import ResponseLimits

TLS = Path(__file__).parents[2] / "fixtures" / "tls"
LIMITS = ResponseLimits(1_000_000, 20.0, max_event_bytes=500_000, max_values=10_000)
BOMBS = make_bombs(megabytes=20)


@pytest.fixture(autouse=True)
def no_network_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "all_proxy", "no_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)
    for name in ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)


async def get(url: str, check: AddressCheck | None = None, seconds: float = 20.0) -> str:
    limits = ResponseLimits(1_000_000, seconds, max_event_bytes=500_000, max_values=10_000)
    async with open_client(limits, check=check, follow_redirects=True) as client:
        return (await client.get(url)).text


@pytest.mark.parametrize("name", [*BOMBS])
async def test_no_bomb_is_taken_in(name: str) -> None:
    with BombServer(BOMBS[name]) as server, pytest.raises(RefusedResponseError) as caught:
        await get(server.url)
    assert str(caught.value).startswith("the answer was not read: ")


class Drip(BaseHTTPRequestHandler):
    """Sends a byte now and then: of the headers, or of the body."""

    def do_GET(self) -> None:
        with suppress(OSError):
            if self.path == "/body":
                self.wfile.write(b"HTTP/1.1 200 OK\r\n\r\n")
            for _ in range(200):
                self.wfile.write(b"H")
                self.server.stopped.wait(0.05)  # type: ignore[attr-defined]

    def log_message(self, format: str, *args: object) -> None:
        return


class Page(Drip):
    """Says which way the request came."""

    def do_GET(self) -> None:
        login = self.headers.get("Proxy-Authorization", "")
        body = f"{self.path} {login}".encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Greeter(Drip):
    """Speaks first, and no SOCKS."""

    def handle(self) -> None:
        self.wfile.write(b"220 mail.example ESMTP ready\r\n")


class Mute(Drip):
    """Takes a connection and says nothing."""

    def handle(self) -> None:
        self.server.stopped.wait()  # type: ignore[attr-defined]


@contextmanager
def serve(
    handler: type[BaseHTTPRequestHandler], context: ssl.SSLContext | None = None
) -> Iterator[int]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    server.stopped = threading.Event()  # type: ignore[attr-defined]
    if context:
        server.socket = context.wrap_socket(server.socket, server_side=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield server.server_address[1]
    finally:
        server.stopped.set()  # type: ignore[attr-defined]
        server.shutdown()
        thread.join()
        server.server_close()


@pytest.mark.parametrize("path", ["/headers", "/body"])
async def test_an_endless_trickle_ends(path: str) -> None:
    with serve(Drip) as port, pytest.raises(httpx2.ReadTimeout):
        await get(f"http://127.0.0.1:{port}{path}", seconds=0.3)


async def test_a_connection_is_used_again() -> None:
    with WebServer() as web:
        web.page("/", "hi", Content_Length="2")
        async with open_client(LIMITS) as client:
            for _ in range(3):
                assert (await client.get(f"http://127.0.0.1:{web.port}/")).text == "hi"
    assert {item["Accept-Encoding"] for item in web.asked} == {"gzip, deflate"}


@pytest.mark.parametrize(
    ("environ", "way"),
    [
        ({"HTTP_PROXY": "http://127.0.0.1:{port}"}, "http://far.example/a "),
        ({"http_proxy": "127.0.0.1:{port}"}, "http://far.example/a "),
        ({"ALL_PROXY": "http://127.0.0.1:{port}/"}, "http://far.example/a "),
        ({"ALL_PROXY": "http://me:it@127.0.0.1:{port}"}, "http://far.example/a Basic bWU6aXQ="),
        ({"ALL_PROXY": "socks4://x", "http_proxy": "127.0.0.1:{port}"}, "http://far.example/a "),
    ],
)
async def test_a_request_takes_the_proxy_that_is_set(
    monkeypatch: pytest.MonkeyPatch, environ: Mapping[str, str], way: str
) -> None:
    with serve(Page) as port:
        for name, value in environ.items():
            monkeypatch.setenv(name, value.format(port=port))
        assert await get("http://far.example/a") == way


@pytest.mark.parametrize(
    "value",
    ["http://127.0.0.1:9", "http://user:hidden@127.0.0.1:9", "socks5h://user:hidden@127.0.0.1:9"],
)
async def test_a_dead_proxy_is_named_without_its_login(
    monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("ALL_PROXY", value)
    with pytest.raises(httpx2.ConnectError) as caught:
        await get("http://far.example/")
    address = value.replace("user:hidden@", "").replace("5h", "5")
    assert f"(through the proxy {address} of `ALL_PROXY`)" in str(caught.value)
    assert "hidden" not in str(caught.value) and "`ALL_PROXY`" in find_hint(caught.value)


class Guard(Drip):
    """A proxy that lets nothing through: the path or the host says why."""

    def do_GET(self) -> None:
        status = 407 if "login" in self.path else 403
        self.send_response(status)
        self.send_header("Proxy-Authenticate", 'Basic realm="x"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    do_CONNECT = do_GET


@pytest.mark.parametrize(
    ("url", "message", "hint"),
    [
        ("http://login.example/", "407", "login"),
        ("https://login.example/", "407", "login"),
        ("http://login.example/a/b", "407", "login"),
        ("https://login.example:8443/", "407", "login"),
        ("https://far.example/", "403", "does not let this host through"),
    ],
)
async def test_a_proxys_refusal_is_the_proxys(
    monkeypatch: pytest.MonkeyPatch, url: str, message: str, hint: str
) -> None:
    with serve(Guard) as port:
        monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{port}")
        with pytest.raises(httpx2.ProxyError, match=message) as caught:
            await get(url)
    assert "of `ALL_PROXY`)" in str(caught.value) and hint in find_hint(caught.value)
    assert is_lasting(caught.value)


@pytest.mark.parametrize("server", [Greeter, Mute])
async def test_a_server_that_speaks_no_socks_is_reported(
    monkeypatch: pytest.MonkeyPatch, server: type[BaseHTTPRequestHandler]
) -> None:
    monkeypatch.setattr(client_module, "CONNECT_SECONDS", 0.3)
    with serve(server) as port:
        monkeypatch.setenv("ALL_PROXY", f"socks5://127.0.0.1:{port}")
        with pytest.raises(httpx2.ProxyError, match="through the proxy socks5://127.0.0.1"):
            await get("http://far.example/")


@pytest.mark.parametrize(
    ("variable", "answers"),
    [("SSL_CERT_FILE", True), ("NODE_EXTRA_CA_CERTS", True), ("CURL_CA_BUNDLE", True), ("", False)],
)
async def test_an_authority_of_the_environment_is_believed(
    monkeypatch: pytest.MonkeyPatch, variable: str, answers: bool
) -> None:
    monkeypatch.delenv("NODE_EXTRA_CA_CERTS", raising=False)
    if variable:
        monkeypatch.setenv(variable, str(TLS / "authority.pem"))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(TLS / "server.pem")
    assert load_certificates().replaced_by == variable.replace("NODE_EXTRA_CA_CERTS", "")
    with serve(Page, context) as port:
        if answers:
            assert await get(f"https://localhost:{port}/a") == "/a "
            return
        with pytest.raises(httpx2.ConnectError, match="unknown issuer") as caught:
            await get(f"https://localhost:{port}/a")
    assert "`NODE_EXTRA_CA_CERTS`" in find_hint(caught.value)


class Names:
    """A name server with fixed answers."""

    def __init__(self, **addresses: str) -> None:
        self._addresses = addresses

    async def __call__(self, host: str, port: int) -> list[IP]:
        if host.partition(".")[0] not in self._addresses:
            raise HostUnknownError(host)
        return [ip_address(self._addresses[host.partition(".")[0]])]


@pytest.mark.parametrize(
    ("source", "target", "reached"),
    [
        ("127.0.0.1", "127.0.0.1", True),
        ("8.8.8.8", "127.0.0.1", False),
        ("10.0.0.1", "127.0.0.1", False),
        ("8.8.8.8", "10.0.0.1", False),
        ("8.8.8.8", "169.254.169.254", False),
        ("10.0.0.1", "169.254.169.254", False),
        ("127.0.0.1", "169.254.169.254", False),
    ],
)
async def test_named_hosts_are_checked_at_the_connection(
    source: str, target: str, reached: bool
) -> None:
    names = Names(source=source, target=target)
    check = AddressCheck("http://source.example/mcp", resolve=names)
    with WebServer() as web:
        web.page("/", "hi")
        url = web.url("/", "target.example")
        if reached:
            assert await get(url, check) == "hi"
            assert web.asked[0]["Host"] == f"target.example:{web.port}"
            return
        with pytest.raises(RefusedAddressError, match=r"where source\.example may not send us"):
            await get(url, check)
    assert web.asked == []


async def test_a_redirect_is_checked_like_a_named_host() -> None:
    check = AddressCheck("http://127.0.0.1:1/", resolve=Names(source="8.8.8.8", target="127.0.0.1"))
    with WebServer() as web:
        web.page("/", status=302, Location="http://target.example:9/")
        outside = AddressCheck(web.url("/", "source.example"), resolve=check.resolve)
        transport = NetworkTransport(LIMITS, check=outside)
        request = httpx2.Request("GET", "http://target.example:9/")
        with pytest.raises(RefusedAddressError):
            await transport.handle_async_request(request)
        await transport.aclose()


@pytest.mark.parametrize(
    ("host", "left_to_proxy"),
    [("far.example", True), ("intranet", False), ("db.internal", False), ("nas.local", False)],
)
async def test_a_proxy_resolves_only_public_looking_names(
    monkeypatch: pytest.MonkeyPatch, host: str, left_to_proxy: bool
) -> None:
    check = AddressCheck("http://source.example/", resolve=Names(source="8.8.8.8"))
    with serve(Page) as port:
        monkeypatch.setenv("ALL_PROXY", f"http://127.0.0.1:{port}")
        if left_to_proxy:
            assert await get(f"http://{host}/", check) == f"http://{host}/ "
            return
        with pytest.raises(httpx2.ConnectError, match="does not exist"):
            await get(f"http://{host}/", check)


async def test_a_cancelled_request_leaves_no_connection_behind() -> None:
    with serve(Drip) as port:
        async with open_client(LIMITS) as client:
            asking = asyncio.create_task(client.get(f"http://127.0.0.1:{port}/body"))
            done, _ = await asyncio.wait([asking], timeout=0.2)
            assert not done
            asking.cancel()
            with pytest.raises(asyncio.CancelledError):
                await asking
