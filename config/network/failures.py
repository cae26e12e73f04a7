"""Failed connections in words: the proxy that was used, and what helps."""

import re
import socket
import ssl
from collections.abc import Iterator

from ..text import text
from .proxies import Proxy

# OpenSSL's codes for an issuer that nobody has named
_UNKNOWN_ISSUER = (18, 19, 20, 21)
CERTIFICATES_HINT = (
    "name your organization's root certificate in `NODE_EXTRA_CA_CERTS` or `SSL_CERT_FILE`: "
    "docs/network.md"
)
PROXY_HINT = "check the proxy in `{variable}`, or name the host in `NO_PROXY`: docs/network.md"
LOGIN_HINT = (
    "write the proxy's login in `{variable}` before its host, as `user:password@host:3128` with "
    "`%40` for `@`: docs/network.md"
)
REFUSED_HINT = (
    "the proxy in `{variable}` does not let this host through: ask who runs it, or name the host "
    "in `NO_PROXY`"
)
# By OpenSSL's code of a certificate that is not valid
_CERTIFICATE_HINTS = {
    9: "check this machine's clock",
    10: "check this machine's clock; if it is right, whoever runs the server must renew it",
    62: "check the host of the base URL",
    64: "check the host of the base URL",
}
TLS_HINT = "check whether the address begins with `http://` or `https://`"
CLIENT_CERTIFICATE_HINT = (
    "MaxAgent has no client certificates: run a gateway that has yours, and name its address: "
    "docs/network.md"
)
_ASKS_LOGIN = re.compile(r"\b407\b|NO ACCEPTABLE METHODS|Invalid username/password")
_REFUSES_HOST = re.compile(r"\b403\b|not allowed by ruleset")
_NO_TLS = re.compile(
    r"WRONG_VERSION_NUMBER|HTTP_REQUEST|HTTPS_PROXY_REQUEST|RECORD_LAYER|PACKET_LENGTH_TOO_LONG"
)
_WANTS_CERTIFICATE = re.compile(
    r"CERTIFICATE_REQUIRED|ALERT_HANDSHAKE_FAILURE|ALERT_BAD_CERTIFICATE"
)
# What servers answer, as a page, to a request without the encryption or certificate they want
_PAGE_HINTS = (
    (
        re.compile(
            r"plain HTTP request was sent to HTTPS|HTTP request to an HTTPS server"
            r"|speaking plain HTTP to an SSL|host and port requires TLS",
            re.IGNORECASE,
        ),
        "write the address with `https://`",
    ),
    (
        re.compile(
            r"no required SSL certificate|the SSL certificate error"
            r"|(?:client|SSL) certificate (?:is )?(?:required|needed)"
            r"|requires a client certificate",
            re.IGNORECASE,
        ),
        CLIENT_CERTIFICATE_HINT,
    ),
)


def find_page_hint(page: str) -> str:
    """Return what helps against the error page of a server that wants TLS or a certificate."""
    return next((hint for pattern, hint in _PAGE_HINTS if pattern.search(page[:4_000])), "")


def describe_failure(error: Exception, proxy: Proxy | None) -> str:
    """Return why a connection failed, with the proxy that it went through."""
    words = _describe_cause(error)
    if proxy is None:
        return words
    return text(
        "{words} (through the proxy {address} of `{variable}`)",
        words=words,
        address=proxy.address,
        variable=proxy.variable,
    )


def _describe_cause(error: Exception) -> str:
    issue = _find_certificate_error(error)
    if issue and issue.verify_code in _UNKNOWN_ISSUER:
        return text("its certificate has an unknown issuer: {reason}", reason=issue.verify_message)
    if issue:
        return text("its certificate is not valid: {reason}", reason=issue.verify_message)
    if any(isinstance(each, socket.gaierror) for each in iter_causes(error)):
        return text("its name is not known, or there is no network")
    reason = _find_tls_reason(error)
    if _NO_TLS.search(reason):
        return text("it does not answer with TLS")
    if _WANTS_CERTIFICATE.search(reason):
        return text("it wants a client certificate")
    if any(isinstance(each, ssl.SSLEOFError) for each in iter_causes(error)):
        return text("it ended the connection before TLS began")
    described = (str(each).partition("\n")[0] for each in iter_causes(error))
    return next(filter(None, described), type(error).__name__)


def describe_no_answer(server: str, error: Exception) -> str:
    """Return that a server could not be reached, or what was wrong with its answer."""
    words = str(error) or type(error).__name__
    if type(error).__name__ in ("RefusedResponseError", "DecodingError"):
        return text("{first}: {rest}", first=server, rest=words)
    return text("{host} could not be reached: {words}", host=server, words=words)


def find_refusal(error: BaseException) -> BaseException | None:
    """Return the error of an answer beyond its bounds, if that is the cause."""
    kinds = ("RefusedResponseError",)
    return next((each for each in iter_causes(error) if type(each).__name__ in kinds), None)


def find_hint(error: BaseException) -> str:
    """Return what helps against a failed connection; empty if nothing is known."""
    for each in iter_causes(error):
        if hint := getattr(each, "network_hint", ""):
            return str(hint)
    return ""


def choose_hint(error: Exception, proxy: Proxy | None) -> str:
    """Return the hint for a failure, kept with the error as `network_hint`."""
    if hint := find_hint(error):
        return hint
    issue = _find_certificate_error(error)
    if issue and issue.verify_code in _UNKNOWN_ISSUER:
        return CERTIFICATES_HINT
    if issue:
        return _CERTIFICATE_HINTS.get(issue.verify_code, "")
    reason = _find_tls_reason(error)
    if _WANTS_CERTIFICATE.search(reason):
        return CLIENT_CERTIFICATE_HINT
    if proxy is None:
        ended = any(isinstance(each, ssl.SSLEOFError) for each in iter_causes(error))
        return TLS_HINT if ended or _NO_TLS.search(reason) else ""
    if _ASKS_LOGIN.search(str(error)):
        return text(LOGIN_HINT, variable=proxy.variable)
    refuses = type(error).__name__ == "ProxyError" and _REFUSES_HOST.search(str(error))
    return text(REFUSED_HINT if refuses else PROXY_HINT, variable=proxy.variable)


def is_lasting(error: BaseException) -> bool:
    """Return whether a failed connection fails again: a certificate, a login, a wrong protocol."""
    causes = list(iter_causes(error))
    if _find_certificate_error(error) or _find_tls_reason(error):
        return True
    if any(type(each).__name__ == "UnsupportedProtocol" for each in causes):
        return True
    proxied = [str(each) for each in causes if type(each).__name__ == "ProxyError"]
    return any(
        _ASKS_LOGIN.search(reason) or _REFUSES_HOST.search(reason) or "SOCKS proxy" in reason
        for reason in proxied
    )


def lacks_tls(error: BaseException) -> bool:
    """Return whether OpenSSL says that the server does not speak TLS."""
    return bool(_NO_TLS.search(_find_tls_reason(error)))


def wants_certificate(error: BaseException) -> bool:
    """Return whether a server has refused the connection for want of a client certificate."""
    return bool(_WANTS_CERTIFICATE.search(_find_tls_reason(error)))


def _find_tls_reason(error: BaseException) -> str:
    """Return OpenSSL's reason why TLS cannot work with this server; empty if it is another."""
    reasons = [
        str(each.reason or each) for each in iter_causes(error) if isinstance(each, ssl.SSLError)
    ]
    lasting = (
        reason for reason in reasons if _NO_TLS.search(reason) or _WANTS_CERTIFICATE.search(reason)
    )
    return next(lasting, "")


def _find_certificate_error(error: BaseException) -> ssl.SSLCertVerificationError | None:
    refusals = (
        each for each in iter_causes(error) if isinstance(each, ssl.SSLCertVerificationError)
    )
    return next(refusals, None)


def iter_causes(error: BaseException) -> Iterator[BaseException]:
    """Yield the error and what it came from."""
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in seen:
        seen.append(cause)
        yield cause
        cause = cause.__cause__ or cause.__context__
