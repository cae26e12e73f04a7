"""Certificates that servers are checked by: the system's, or what the environment names instead."""

import os
import ssl
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from ..text import text
from .variables import UnreadVariable, read_variable

# These replace the system's; the first that is set and can be read counts
REPLACING = ("SSL_CERT_FILE", "SSL_CERT_DIR", "REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE")
# These are added
ADDING = ("NODE_EXTRA_CA_CERTS",)
_SYSTEM_FILES = (
    "/etc/ssl/certs/ca-certificates.crt",
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem",
    "/etc/pki/tls/certs/ca-bundle.crt",
    "/etc/ssl/ca-bundle.pem",
    "/etc/ssl/cert.pem",
)


@dataclass(frozen=True)
class Certificates:
    """A TLS context, where its certificates are from, and variables that could not be read."""

    context: ssl.SSLContext
    replaced_by: str
    """The variable that names them instead of the system; empty: the system's."""
    unread: tuple[UnreadVariable, ...]


def load_certificates() -> Certificates:
    """Return those of this process: to read them takes some 17 ms, so it is done once."""
    return _load_once(tuple((name, os.environ.get(name, "")) for name in (*REPLACING, *ADDING)))


@cache
def _load_once(variables: tuple[tuple[str, str], ...]) -> Certificates:
    return read_certificates(dict(variables))


def load_tls_context() -> ssl.SSLContext:
    """Return the one TLS context of this process that checks certificates."""
    return load_certificates().context


@cache
def build_empty_context() -> ssl.SSLContext:
    """Return one that trusts no certificate, for servers with `http://`."""
    return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)


def find_unread_certificates(environ: Mapping[str, str]) -> tuple[UnreadVariable, ...]:
    """Return the variables that cannot be read; reads no certificate if none is set."""
    if not any(read_variable(environ, name) for name in (*REPLACING, *ADDING)):
        return ()
    found = load_certificates() if environ is os.environ else read_certificates(environ)
    return found.unread


def read_certificates(environ: Mapping[str, str]) -> Certificates:
    """Read what the environment names; what cannot be read is skipped."""
    unread: list[UnreadVariable] = []
    context, replaced_by = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT), ""
    for name in REPLACING:
        if _load(context, name, environ, unread):
            replaced_by = name
            break
    if replaced_by == "SSL_CERT_FILE":  # OpenSSL reads both
        _load(context, "SSL_CERT_DIR", environ, unread)
    if not replaced_by:
        context = _build_system_context()
    for name in ADDING:
        _load(context, name, environ, unread)
    return Certificates(context, replaced_by, tuple(unread))


def _load(
    context: ssl.SSLContext,
    name: str,
    environ: Mapping[str, str],
    unread: list[UnreadVariable],
) -> bool:
    """Add what the variable names; return whether there was something."""
    value = read_variable(environ, name)
    if not value:
        return False
    paths = value.split(os.pathsep) if name == "SSL_CERT_DIR" else [value]
    reasons = [_load_path(context.load_verify_locations, Path(path)) for path in paths if path]
    if "" in reasons:
        return True
    unread.append(UnreadVariable(name, next(iter(reasons), text("it names nothing"))))
    return False


def _load_path(load: Callable[[str | None, str | None], None], path: Path) -> str:
    """Add the certificates of a file or folder; return why that failed, empty if it did not."""
    path = path.expanduser()
    try:
        if path.is_dir():
            if not any(path.iterdir()):
                return text("{path} is an empty folder", path=path)
            load(None, str(path))
        else:
            load(str(path), None)
    except ssl.SSLError:
        return text("{path} has no certificate that can be read", path=path)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        return text("{path}: {reason}", path=path, reason=reason)
    return ""


def _build_system_context() -> ssl.SSLContext:
    """Return a context with the system's certificates; with certifi's where there are none."""
    if sys.platform in ("win32", "darwin"):
        import truststore

        return truststore.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    usual = ssl.get_default_verify_paths()
    file = next(filter(os.path.isfile, (usual.openssl_cafile, *_SYSTEM_FILES)), None)
    folder = usual.openssl_capath
    if not os.path.isdir(folder) or not os.listdir(folder):
        folder = None
    if file or folder:
        context.load_verify_locations(file, folder)
        return context
    import certifi

    context.load_verify_locations(certifi.where())
    return context
