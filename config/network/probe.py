"""Second looks at a server that broke off before its answer: what it wanted is asked of it.

Servers close a connection in silence that begins in the wrong protocol, or without the certificate
that they want. No request is repeated for that, and none of its content is sent here.
"""

import asyncio
import ssl
from contextlib import suppress

import httpx2

from ..text import text
from .certificates import build_empty_context, load_tls_context
from .failures import CLIENT_CERTIFICATE_HINT, iter_causes, lacks_tls, wants_certificate

# Seconds for one look; the host has just been reached
PROBE_SECONDS = 3.0
# Seconds for an alert that comes after the handshake
ALERT_SECONDS = 1.0
_BROKEN_OFF = (httpx2.ReadError, httpx2.WriteError, httpx2.RemoteProtocolError)


async def find_cause(url: httpx2.URL, error: Exception) -> Exception:
    """Return why a direct request got no answer: a wrong scheme, a certificate, or the error."""
    host, port = url.host, url.port or (443 if url.scheme == "https" else 80)
    if url.scheme == "http" and isinstance(error, _BROKEN_OFF):
        return _build_scheme_error(url, "https") if await _has_tls(host, port) else error
    if url.scheme == "https" and _is_refused_hello(error):
        return _build_scheme_error(url, "http") if await _has_plain_http(host, port) else error
    if url.scheme == "https" and isinstance(error, _BROKEN_OFF):
        return await _find_alert(host, port) or error
    return error


def _is_refused_hello(error: Exception) -> bool:
    causes = list(iter_causes(error))
    return (
        lacks_tls(error)
        or isinstance(error, httpx2.ConnectTimeout)
        or any(isinstance(each, ssl.SSLEOFError) for each in causes)
    )


def _build_scheme_error(url: httpx2.URL, scheme: str) -> httpx2.UnsupportedProtocol:
    host = url.netloc.decode("ascii")
    message = text("it wants `{scheme}://`, not `{other}://`", scheme=scheme, other=url.scheme)
    error = httpx2.UnsupportedProtocol(message)
    hint = text("write the address as `{scheme}://{host}…`", scheme=scheme, host=host)
    vars(error)["network_hint"] = hint
    return error


async def _has_tls(host: str, port: int) -> bool:
    """Return whether TLS is spoken there; with no authority its certificate is the proof."""
    try:
        await _connect(host, port, build_empty_context())
    except ssl.SSLCertVerificationError:
        return True
    except (OSError, TimeoutError) as error:
        return isinstance(error, ssl.SSLError) and "ALERT" in str(error.reason)
    return True


async def _has_plain_http(host: str, port: int) -> bool:
    request = f"HEAD / HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    with suppress(OSError, TimeoutError):
        return await _connect(host, port, None, request.encode()) == b"HTTP/"
    return False


async def _find_alert(host: str, port: int) -> Exception | None:
    """Return the refusal of a missing client certificate, which TLS 1.3 sends afterwards."""
    try:
        sent = await _connect(host, port, load_tls_context())
    except ssl.SSLError as error:
        return error if wants_certificate(error) else None
    except (OSError, TimeoutError):
        return None
    if sent:
        return None
    error = httpx2.ReadError(text("it ends each connection; it may want a client certificate"))
    vars(error)["network_hint"] = CLIENT_CERTIFICATE_HINT
    return error


async def _connect(
    host: str, port: int, context: ssl.SSLContext | None, request: bytes = b""
) -> bytes:
    """Return the first bytes that come: of the answer, or unasked in the time for an alert."""
    async with asyncio.timeout(PROBE_SECONDS):
        reader, writer = await asyncio.open_connection(host, port, ssl=context)
        try:
            writer.write(request)
            return await asyncio.wait_for(reader.read(5), None if request else ALERT_SECONDS)
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
