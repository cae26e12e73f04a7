import gzip
import zlib
from collections.abc import Iterator
from ipaddress import ip_address

import pytest
from web_server import WebServer

from maxagent.config.network.addresses import IP, is_public
from maxagent.tools.result import ToolError
from maxagent.tools.web import client
from maxagent.tools.web.client import FetchedPage, fetch_page, resolve_host
from maxagent.tools.web.response_body import MAX_BYTES

HERE = ip_address("127.0.0.1")


@pytest.fixture
def web() -> Iterator[WebServer]:
    with WebServer() as server:
        yield server


class Names:
    """A name server that answers as it is told, and counts."""

    def __init__(self, *answers: list[str]) -> None:
        self.asked: list[str] = []
        self._answers = iter(answers)

    async def __call__(self, host: str, port: int) -> list[IP]:
        self.asked.append(host)
        return [ip_address(number) for number in next(self._answers, ["127.0.0.1"])]


async def get(url: str, names: Names | None = None) -> FetchedPage:
    """As the tool does it, but that this machine counts as public as well."""
    return await fetch_page(
        url, resolve=names or Names(), allowed=lambda ip: ip == HERE or is_public(ip)
    )


async def test_page_is_fetched_from_the_checked_address(web: WebServer) -> None:
    web.page("/a?b=c", "<p>hi", Set_Cookie="a=b")
    names = Names()
    fetched = await get(web.url("/a?b=c#part"), names)
    assert (fetched.status, fetched.data) == (200, b"<p>hi")
    assert fetched.content_type == "text/html; charset=utf-8"
    assert names.asked == ["page.example"]
    assert web.asked[0]["Host"] == f"page.example:{web.port}"
    assert set(web.asked[0]) == {
        "Host", "User-Agent", "Accept", "Accept-Encoding", "Connection", "path",
    }  # fmt: skip


@pytest.mark.parametrize(
    "numbers", [[], ["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::ffff:8.8.8.8"], ["169.254.169.254"]]
)
async def test_one_number_that_is_not_public_is_enough(web: WebServer, numbers: list[str]) -> None:
    with pytest.raises(ToolError, match="not on the public internet"):
        await fetch_page(web.url("/"), resolve=Names(numbers))
    assert web.asked == []


@pytest.mark.parametrize(
    "host",
    ["localhost", "127.0.0.1", "127.0.0.1.", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "①②⑦.0.0.1"],
)
async def test_the_real_name_server_is_not_believed_either(web: WebServer, host: str) -> None:
    with pytest.raises(ToolError, match="not on the public internet|does not exist"):
        await fetch_page(web.url("/", host))
    assert web.asked == []


async def test_a_name_that_is_nowhere_is_reported() -> None:
    with pytest.raises(ToolError, match="host `nowhere.invalid` does not exist"):
        await resolve_host("nowhere.invalid", 80)


async def test_name_changed_after_the_check_gains_nothing(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second answer is never asked for: the connection is made to a number."""
    monkeypatch.setattr(client, "CONNECT_SECONDS", 0.3)
    web.page("/", "inside")
    names = Names(["203.0.114.1"], ["127.0.0.1"])
    with pytest.raises(ToolError, match="could not be reached"):
        await fetch_page(web.url("/"), resolve=names)
    assert (names.asked, web.asked) == (["page.example"], [])


async def test_each_redirect_is_checked_again(web: WebServer) -> None:
    web.page("/a", status=302, Location="/b")
    web.page("/b", "secret")
    with pytest.raises(ToolError, match="not on the public internet"):
        await get(web.url("/a"), Names(["127.0.0.1"], ["10.0.0.1"]))
    assert [item["path"] for item in web.asked] == ["/a"]


async def test_same_host_redirects_are_followed_without_cookies(web: WebServer) -> None:
    web.page("/0", status=301, Location="/1", Set_Cookie="a=b")
    for number in range(1, 5):
        web.page(f"/{number}", status=307, Location=f"/{number + 1}")
    web.page("/5", "there")
    fetched = await get(web.url("/0"))
    assert (fetched.data, str(fetched.address)) == (b"there", web.url("/5"))
    assert not any({"Cookie", "Referer"} & set(item) for item in web.asked)


@pytest.mark.parametrize(
    ("asked", "sent"),
    [
        ("/w?search=Müller", "/w?search=M%C3%BCller"),
        ("/ü?q=ß", "/%C3%BC?q=%C3%9F"),
        ("/?q=日本", "/?q=%E6%97%A5%E6%9C%AC"),
        ("/?q=a%20b%C3%BC&x=100%", "/?q=a%20b%C3%BC&x=100%"),
        ("/?q=😀+[x]|y", "/?q=%F0%9F%98%80+[x]|y"),
        ("/?q='a'!*(b);c,d:e@f/g?h", "/?q='a'!*(b);c,d:e@f/g?h"),
    ],
)
async def test_query_is_sent_as_utf8(web: WebServer, asked: str, sent: str) -> None:
    web.page(sent, "there")
    web.page("/from", status=302, Location=asked.encode().decode("latin-1"))
    for url in (asked, "/from"):
        assert (await get(web.url(url))).data == b"there"
    assert [request["path"] for request in web.asked if request["path"] != "/from"] == [sent, sent]


async def test_redirects_without_end_are_left(web: WebServer) -> None:
    web.page("/", status=302, Location="/")
    with pytest.raises(ToolError, match="more than 5 times"):
        await get(web.url("/"))
    assert len(web.asked) == 6


@pytest.mark.parametrize("to", ["http://127.0.0.1/", "http://localhost/", "http://metadata/"])
async def test_a_redirect_to_another_host_is_not_followed(web: WebServer, to: str) -> None:
    web.page("/", status=302, Location=to)
    with pytest.raises(ToolError, match=f"call webfetch with {to}"):
        await get(web.url("/"))


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
async def test_a_packed_page_is_unpacked(web: WebServer, encoding: str) -> None:
    packed = gzip.compress(b"hello") if encoding == "gzip" else zlib.compress(b"hello")
    web.page("/", packed, Content_Encoding=encoding)
    assert (await get(web.url("/"))).data == b"hello"


async def test_a_bomb_is_not_unpacked(web: WebServer) -> None:
    packer = zlib.compressobj(9, wbits=31)
    bomb = b"".join(packer.compress(bytes(1_000_000)) for _ in range(200)) + packer.flush()
    web.page("/", bomb, Content_Encoding="gzip")
    with pytest.raises(ToolError, match="decompresses to over 100 times"):
        await get(web.url("/"))


@pytest.mark.parametrize(
    ("encoding", "body"), [("br", b"x"), ("gzip, gzip", b"x"), ("gzip", b"no gzip")]
)
async def test_what_cannot_be_unpacked_is_refused(
    web: WebServer, encoding: str, body: bytes
) -> None:
    web.page("/", body, Content_Encoding=encoding)
    with pytest.raises(ToolError, match="compressed"):
        await get(web.url("/"))


async def test_of_an_endless_page_the_beginning_is_kept(web: WebServer) -> None:
    web.page("/", b"x" * 100_000, "text/plain", times=10_000)
    fetched = await get(web.url("/"))
    assert (len(fetched.data), fetched.cut) == (MAX_BYTES, True)
    assert web.sent < 100_000_000


async def test_a_server_that_is_silent_is_left(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "SECONDS", 0.5)
    web.page("/hang", b"x", Content_Length="100")
    with pytest.raises(ToolError, match="did not answer completely"):
        await get(web.url("/hang"))


async def test_next_address_is_tried_when_one_fails(web: WebServer) -> None:
    web.page("/", "here")
    assert (await get(web.url("/"), Names(["203.0.114.1", "127.0.0.1"]))).data == b"here"


async def test_no_proxy_of_the_environment_is_asked(
    web: WebServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    web.page("/", "here")
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert (await get(web.url("/"))).data == b"here"


async def test_a_server_that_speaks_no_http_is_reported(web: WebServer) -> None:
    web.page("/", b"x", Content_Length="nonsense")
    with pytest.raises(ToolError, match="did not answer correctly"):
        await get(web.url("/"))
