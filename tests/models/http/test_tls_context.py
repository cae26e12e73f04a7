"""All endpoints of a process share one TLS context that verifies."""

import ssl

from maxagent.models.http.tls_context import build_empty_context, load_tls_context


def test_certificates_are_read_once_and_verified() -> None:
    context = load_tls_context()
    assert load_tls_context() is context
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)


def test_empty_context_trusts_no_server() -> None:
    context = build_empty_context()
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert context.get_ca_certs() == []
