"""Proxies as the environment names them: which is used, and what is skipped with a word."""

from collections.abc import Mapping
from urllib.parse import urlsplit

import pytest

from maxagent.config.network.proxies import parse_exceptions, parse_proxy, read_proxies


def is_covered(value: str, host: str, port: int = 443, scheme: str = "https") -> bool:
    exceptions, wrong = parse_exceptions(value)
    assert wrong == []
    return any(each.covers(scheme, host, port) for each in exceptions)


@pytest.mark.parametrize(
    ("value", "host", "covered"),
    [
        ("*", "any.example", True),
        ("example.com", "example.com", True),
        ("example.com", "api.example.com", True),
        ("example.com", "badexample.com", False),
        ("example.com", "example.com.evil.org", False),
        (".example.com", "example.com", True),
        (".example.com", "api.example.com", True),
        ("*.example.com", "api.example.com", True),
        ("*.example.com", "badexample.com", False),
        ("EXAMPLE.com.", "Api.Example.Com.", True),
        ("a.org,example.com", "example.com", True),
        ("a.org example.com", "example.com", True),
        (" a.org , , example.com ,", "example.com", True),
        ("", "example.com", False),
        ("10.0.0.7", "10.0.0.7", True),
        ("10.0.0.7", "10.0.0.70", False),
        ("10.0.0.0/8", "10.200.3.4", True),
        ("10.0.0.7/8", "10.200.3.4", True),
        ("10.0.0.0/8", "11.0.0.1", False),
        ("10.0.0.0/8", "ten.example", False),
        ("192.168.*", "192.168.3.4", True),
        ("192.168.*", "192.16.8.4", False),
        ("::1", "::1", True),
        ("[::1]", "::1", True),
        ("fd00::/8", "fd12::1", True),
        ("[fd00::]/8", "[fd12::1]", True),
        ("fd00::/8", "fe80::1", False),
        ("10.0.0.7", "::ffff:10.0.0.7", True),
        ("<local>", "intranet", True),
        ("<local>", "intra.net", False),
        ("bücher.example", "xn--bcher-kva.example", True),
        ("http://example.com", "example.com", False),
        ("https://example.com/", "example.com", True),
    ],
)
def test_an_entry_covers_its_hosts(value: str, host: str, covered: bool) -> None:
    assert is_covered(value, host) is covered


@pytest.mark.parametrize(
    ("value", "host", "port", "covered"),
    [
        ("example.com:8443", "example.com", 8443, True),
        ("example.com:8443", "example.com", 443, False),
        ("10.0.0.7:80", "10.0.0.7", 80, True),
        ("[::1]:8080", "::1", 8080, True),
        ("[::1]:8080", "::1", 80, False),
        ("*:8080", "any.example", 8080, True),
        ("*:8080", "any.example", 80, False),
    ],
)
def test_a_port_narrows_an_entry(value: str, host: str, port: int, covered: bool) -> None:
    assert is_covered(value, host, port) is covered


@pytest.mark.parametrize(
    "entry", ["10.0.0.0/33", "::1/200", "a/b", "a:port", "a:0", "a:70000", "[::1", "ftp://a", "a?b"]
)
def test_another_entry_is_distinguished(entry: str) -> None:
    exceptions, wrong = parse_exceptions(f"good.example,{entry}")
    assert (len(exceptions), wrong) == (1, [entry])


HTTPS = "https://api.example.com/v1"
OTHER = "http://other.example.com"


def find(environ: Mapping[str, str], url: str = HTTPS) -> str:
    """The proxy of an address; empty: none."""
    scheme, _, remainder = url.partition("://")
    host, _, port = remainder.partition("/")[0].partition(":")
    proxy = read_proxies(environ).find_proxy(scheme, host, int(port) if port else None)
    return proxy.address if proxy else ""


@pytest.mark.parametrize(
    ("environ", "url", "proxy"),
    [
        ({}, HTTPS, ""),
        ({"HTTPS_PROXY": "http://p:3128"}, HTTPS, "http://p:3128"),
        ({"https_proxy": "http://p:3128"}, HTTPS, "http://p:3128"),
        ({"https_proxy": "http://low:1", "HTTPS_PROXY": "http://up:2"}, HTTPS, "http://low:1"),
        ({"https_proxy": "", "HTTPS_PROXY": "http://up:2"}, HTTPS, "http://up:2"),
        ({"https_proxy": "nonsense://", "HTTPS_PROXY": "http://up:2"}, HTTPS, "http://up:2"),
        ({"HTTP_PROXY": "http://p:3128"}, HTTPS, ""),
        ({"HTTP_PROXY": "http://p:3128"}, OTHER, "http://p:3128"),
        ({"ALL_PROXY": "socks5://p"}, HTTPS, "socks5://p:1080"),
        ({"all_proxy": "socks5h://p:9050"}, OTHER, "socks5://p:9050"),
        ({"ALL_PROXY": "socks://p:1080/"}, HTTPS, "socks5://p:1080"),
        ({"ALL_PROXY": "socks5://a", "HTTPS_PROXY": "b:80"}, HTTPS, "http://b:80"),
        ({"HTTPS_PROXY": "p"}, HTTPS, "http://p:80"),
        ({"HTTPS_PROXY": "https://p"}, HTTPS, "https://p:443"),
        ({"HTTPS_PROXY": "HTTP://P.example:3128/"}, HTTPS, "http://p.example:3128"),
        ({"HTTPS_PROXY": "http://[::1]:3128"}, HTTPS, "http://[::1]:3128"),
        ({"HTTPS_PROXY": "http://user:secret@p:3128"}, HTTPS, "http://p:3128"),
        ({"HTTPS_PROXY": '"http://p:3128"'}, HTTPS, "http://p:3128"),
        ({"HTTPS_PROXY": "  "}, HTTPS, ""),
        ({"HTTPS_PROXY": "''"}, HTTPS, ""),
        ({"HTTPS_PROXY": "http://p:1"}, "https://localhost:8443", ""),
        ({"ALL_PROXY": "http://p:1"}, "http://127.0.0.1:11434", ""),
        ({"ALL_PROXY": "http://p:1"}, "http://127.9.9.9", ""),
        ({"ALL_PROXY": "http://p:1"}, "http://models.localhost", ""),
        ({"ALL_PROXY": "http://p:1"}, "http://0.0.0.0:8080", ""),
        ({"ALL_PROXY": "http://p:1"}, "http://10.0.0.7:8080", "http://p:1"),
        ({"ALL_PROXY": "http://p:1", "NO_PROXY": "*"}, HTTPS, ""),
        ({"ALL_PROXY": "http://p:1", "no_proxy": "example.com"}, HTTPS, ""),
    ],
)
def test_a_request_goes_through_the_named_proxy(
    environ: Mapping[str, str], url: str, proxy: str
) -> None:
    assert find(environ, url) == proxy


@pytest.mark.parametrize("host", ["::1", "::", "::ffff:127.0.0.1", "LOCALHOST", "localhost."])
def test_this_machine_has_no_proxy(host: str) -> None:
    assert read_proxies({"ALL_PROXY": "http://p:1"}).find_proxy("http", host, 80) is None


@pytest.mark.parametrize(
    "value",
    [
        "socks4://p:1080",
        "ftp://p",
        "http://",
        "http://:3128",
        "http://p:port",
        "http://p:99999",
        "http://p:0",
        "http://user:pa#ss@p:3128",
        "http://[::1:3128",
        "http://a b:3128",
        "direct://",
        "file:///etc/passwd",
        "http://p\\q:1",
    ],
)
def test_what_cannot_be_read_names_its_variable(value: str) -> None:
    settings = read_proxies({"HTTPS_PROXY": value, "ALL_PROXY": "http://spare:1"})
    assert [each.name for each in settings.unread] == ["HTTPS_PROXY"]
    assert settings.unread[0].reason
    assert "pa#ss" not in settings.unread[0].reason
    proxy = settings.find_proxy("https", "api.example.com")
    assert proxy and proxy.address == "http://spare:1"


def test_no_proxy_with_errors_keeps_the_rest() -> None:
    settings = read_proxies({"ALL_PROXY": "http://p:1", "NO_PROXY": "a.example, 10.0.0.0/99,::1/x"})
    assert settings.find_proxy("https", "a.example") is None
    assert [(each.name, each.reason) for each in settings.unread] == [
        ("NO_PROXY", "`10.0.0.0/99`, `::1/x` is not a host or network")
    ]


def test_a_login_is_unquoted_and_never_shown() -> None:
    proxy = parse_proxy("HTTPS_PROXY", "http://us%40er:pa%3Ass@p:3128")
    assert (proxy.username, proxy.password) == ("us@er", "pa:ss")
    assert "pa:ss" not in repr(proxy) and "us@er" not in proxy.address


FORMS = [
    ("*.example.com", "http://a.example.com/", "proxy proxy direct"),
    ("*.example.com", "http://example.com/", "proxy proxy direct"),
    (".example.com", "http://a.example.com/", "direct direct direct"),
    (".example.com", "http://example.com/", "direct direct direct"),
    ("example.com", "http://badexample.com/", "proxy proxy proxy"),
    ("example.com:8080", "http://example.com:8080/", "proxy direct direct"),
    ("example.com:8080", "http://example.com/", "proxy proxy proxy"),
    ("10.0.0.0/8", "http://10.255.255.1:9/", "direct direct direct"),
    ("10.0.0.0/8", "http://11.0.0.1:9/", "proxy proxy proxy"),
    ("*", "http://example.com/", "direct direct direct"),
    ("a.com example.com", "http://example.com/", "direct proxy direct"),
    (" example.com ", "http://example.com/", "direct direct direct"),
    ("fd00::1", "http://[fd00::1]:9/", "direct direct direct"),
    ("fd00::/8", "http://[fd00::1]:9/", "proxy proxy direct"),
    ("[fd00::1]", "http://[fd00::1]:9/", "proxy proxy direct"),
    ("[fd00::1]:9", "http://[fd00::1]:9/", "proxy proxy direct"),
    ("10.1.1.1:9", "http://10.1.1.1:9/", "proxy proxy direct"),
    ("10.1.*", "http://10.1.1.1:9/", "proxy proxy direct"),
    ("EXAMPLE.com", "http://example.COM/", "direct direct direct"),
    ("example.com.", "http://example.com/", "direct proxy direct"),
    ("example.com", "http://example.com./", "direct proxy direct"),
    ("", "http://example.com/", "proxy proxy proxy"),
]


@pytest.mark.parametrize(("entry", "address", "ways"), FORMS)
def test_entry_goes_at_least_as_direct_as_elsewhere(entry: str, address: str, ways: str) -> None:
    """`ways`: what curl 7.88 and requests 2.34 did in real runs, and what we do."""
    parts = urlsplit(address)
    settings = read_proxies({"http_proxy": "http://p:1", "NO_PROXY": entry})
    proxy = settings.find_proxy(parts.scheme, parts.hostname or "", parts.port)
    *others, ours = ways.split()
    assert ("proxy" if proxy else "direct") == ours
    assert ours == "direct" or "direct" not in others
