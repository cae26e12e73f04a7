"""The TLS settings of all connections to models: to read the system's certificates takes 17 ms."""

import ssl
from functools import cache

import httpx


@cache
def load_tls_context() -> ssl.SSLContext:
    """Return the one of this process, as HTTPX makes it: `SSL_CERT_FILE` counts."""
    return httpx.create_ssl_context()


@cache
def build_empty_context() -> ssl.SSLContext:
    """Return one that trusts no certificate, for a local server with `http://`."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
