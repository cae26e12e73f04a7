"""All endpoints of a process share one TLS context that verifies."""

import ssl

from maxagent.models.http.tls_context import load_tls_context


def test_certificates_are_read_once_and_verified() -> None:
    context = load_tls_context()
    assert load_tls_context() is context
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
