"""`NO_PROXY` in the forms that people write."""

import pytest

from maxagent.config.network.proxy_exceptions import parse_exceptions


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
def test_another_entry_is_told_apart(entry: str) -> None:
    exceptions, wrong = parse_exceptions(f"good.example,{entry}")
    assert (len(exceptions), wrong) == (1, [entry])
