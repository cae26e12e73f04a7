"""Failed connections in words: what was wrong, what helps, and whether a repeat is in vain."""

import socket
import ssl

import httpx2
import pytest

from maxagent.config.network.failures import (
    CERTIFICATES_HINT,
    CLIENT_CERTIFICATE_HINT,
    TLS_HINT,
    choose_hint,
    describe_failure,
    is_lasting,
)
from maxagent.config.network.proxies import parse_proxy

PROXY = parse_proxy("HTTPS_PROXY", "http://user:hidden@p:3128")


def tls(reason: str, kind: type[ssl.SSLError] = ssl.SSLError) -> ssl.SSLError:
    error = kind(1, f"[SSL: {reason}] some words (_ssl.c:1006)")
    error.reason = reason
    return error


def certificate(code: int, message: str) -> ssl.SSLCertVerificationError:
    error = ssl.SSLCertVerificationError(1, message)
    error.verify_code, error.verify_message = code, message
    return error


def fail(cause: BaseException, message: str = "") -> httpx2.ConnectError:
    error = httpx2.ConnectError(message)
    error.__cause__ = cause
    return error


DIRECT: list[tuple[Exception, str, str, bool]] = [
    (
        fail(certificate(20, "unable to get local issuer")),
        "unknown issuer",
        CERTIFICATES_HINT,
        True,
    ),
    (fail(certificate(10, "certificate has expired")), "not valid: certificate has", "clock", True),
    (fail(certificate(9, "certificate is not yet valid")), "not yet valid", "clock", True),
    (fail(certificate(62, "Hostname mismatch")), "Hostname mismatch", "host of the base URL", True),
    (fail(tls("WRONG_VERSION_NUMBER")), "does not answer with TLS", TLS_HINT, True),
    (fail(tls("HTTP_REQUEST")), "does not answer with TLS", TLS_HINT, True),
    (fail(tls("TLSV13_ALERT_CERTIFICATE_REQUIRED")), "client cert", CLIENT_CERTIFICATE_HINT, True),
    (fail(tls("SSLV3_ALERT_HANDSHAKE_FAILURE")), "client cert", CLIENT_CERTIFICATE_HINT, True),
    (fail(tls("UNEXPECTED_EOF", ssl.SSLEOFError)), "before TLS began", TLS_HINT, False),
    (fail(socket.gaierror(-2, "Name or service not known")), "name is not known", "", False),
    (fail(ConnectionRefusedError(111, "refused")), "refused", "", False),
    (fail(OSError("")), "ConnectError", "", False),
]


@pytest.mark.parametrize(("error", "message", "hint", "lasts"), DIRECT)
def test_a_direct_failure_says_what_helps(
    error: Exception, message: str, hint: str, lasts: bool
) -> None:
    assert message in describe_failure(error, None)
    assert hint in choose_hint(error, None) and bool(choose_hint(error, None)) is bool(hint)
    assert is_lasting(error) is lasts


@pytest.mark.parametrize(
    ("message", "hint", "lasts"),
    [
        ("407 Proxy Authentication Required", "login", True),
        ("Requested NO AUTH from proxy server, but got NO ACCEPTABLE METHODS.", "login", True),
        ("Invalid username/password", "login", True),
        ("403 Forbidden", "let this host through", True),
        ("403 Access violation", "let this host through", True),
        ("Connection not allowed by ruleset", "let this host through", True),
        ("it does not answer like a SOCKS proxy", "check the proxy", True),
        ("502 Bad Gateway", "check the proxy", False),
        ("503 Service Unavailable", "check the proxy", False),
    ],
)
def test_a_proxys_refusal_says_what_helps(message: str, hint: str, lasts: bool) -> None:
    error = httpx2.ProxyError(message)
    assert describe_failure(error, PROXY).startswith(message)
    assert "(through the proxy http://p:3128 of `HTTPS_PROXY`)" in describe_failure(error, PROXY)
    assert hint in choose_hint(error, PROXY) and "`HTTPS_PROXY`" in choose_hint(error, PROXY)
    assert is_lasting(error) is lasts and "hidden" not in describe_failure(error, PROXY)
