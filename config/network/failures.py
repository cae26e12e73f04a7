"""Failed connections in words: the proxy that was used, and what helps."""

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


def describe_failure(error: Exception, proxy: Proxy | None) -> str:
    """Return why a connection failed, with the proxy that it went through."""
    issue = _find_certificate_error(error)
    words = str(error).partition("\n")[0] or type(error).__name__
    if issue and issue.verify_code in _UNKNOWN_ISSUER:
        words = text("its certificate has an unknown issuer: {reason}", reason=issue.verify_message)
    elif issue:
        words = text("its certificate is not valid: {reason}", reason=issue.verify_message)
    if proxy is None:
        return words
    return text(
        "{words} (through the proxy {address} of `{variable}`)",
        words=words,
        address=proxy.address,
        variable=proxy.variable,
    )


def describe_no_answer(server: str, error: Exception) -> str:
    """Return that a server could not be reached, or what was wrong with its answer."""
    words = str(error) or type(error).__name__
    if type(error).__name__ in ("RefusedResponseError", "DecodingError"):
        return text("{first}: {rest}", first=server, rest=words)
    return text("{host} could not be reached: {words}", host=server, words=words)


def find_refusal(error: BaseException) -> BaseException | None:
    """Return the error of an answer beyond its bounds, if that is the cause."""
    kinds = ("RefusedResponseError",)
    return next((each for each in _iter_causes(error) if type(each).__name__ in kinds), None)


def find_hint(error: BaseException) -> str:
    """Return what helps against a failed connection; empty if nothing is known."""
    for each in _iter_causes(error):
        if hint := getattr(each, "network_hint", ""):
            return str(hint)
    return ""


def choose_hint(error: Exception, proxy: Proxy | None) -> str:
    """Return the hint for a failure, kept with the error as `network_hint`."""
    issue = _find_certificate_error(error)
    if issue and issue.verify_code in _UNKNOWN_ISSUER:
        return CERTIFICATES_HINT
    return text(PROXY_HINT, variable=proxy.variable) if proxy and not issue else ""


def _find_certificate_error(error: BaseException) -> ssl.SSLCertVerificationError | None:
    found = (each for each in _iter_causes(error) if isinstance(each, ssl.SSLCertVerificationError))
    return next(found, None)


def _iter_causes(error: BaseException) -> Iterator[BaseException]:
    seen: list[BaseException] = []
    cause: BaseException | None = error
    while cause is not None and cause not in seen:
        seen.append(cause)
        yield cause
        cause = cause.__cause__ or cause.__context__
