"""Certificates of the environment: which count, and which are skipped with a word."""

import ssl
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from maxagent.config.network.certificates import (
    build_empty_context,
    find_unread_certificates,
    load_tls_context,
    read_certificates,
)

AUTHORITY = Path(__file__).parents[2] / "fixtures" / "tls" / "authority.pem"
NAME = "MaxAgent test authority"


def names_of(context: ssl.SSLContext) -> list[str]:
    """The names of the authorities that were loaded from files."""
    subjects = [each["subject"] for each in context.get_ca_certs()]
    return [
        str(part[0][1]) for subject in subjects for part in subject if part[0][0] == "commonName"
    ]


@pytest.mark.parametrize(
    ("environ", "replaced_by", "is_trusted"),
    [
        ({}, "", False),
        ({"SSL_CERT_FILE": "{file}"}, "SSL_CERT_FILE", True),
        ({"SSL_CERT_FILE": '"{file}"'}, "SSL_CERT_FILE", True),
        ({"SSL_CERT_FILE": " "}, "", False),
        ({"SSL_CERT_DIR": "{folder}"}, "SSL_CERT_DIR", False),
        ({"SSL_CERT_DIR": "/nonexistent:{folder}"}, "SSL_CERT_DIR", False),
        ({"REQUESTS_CA_BUNDLE": "{file}"}, "REQUESTS_CA_BUNDLE", True),
        ({"REQUESTS_CA_BUNDLE": "{folder}"}, "REQUESTS_CA_BUNDLE", False),
        ({"CURL_CA_BUNDLE": "{file}"}, "CURL_CA_BUNDLE", True),
        ({"SSL_CERT_FILE": "/nonexistent", "CURL_CA_BUNDLE": "{file}"}, "CURL_CA_BUNDLE", True),
        ({"NODE_EXTRA_CA_CERTS": "{file}"}, "", True),
    ],
)
def test_the_environment_names_authorities(
    tmp_path: Path, environ: Mapping[str, str], replaced_by: str, is_trusted: bool
) -> None:
    (tmp_path / "0a1b2c3d.0").write_bytes(AUTHORITY.read_bytes())
    names = {name: value.format(file=AUTHORITY, folder=tmp_path) for name, value in environ.items()}
    certificates = read_certificates(names)
    assert certificates.replaced_by == replaced_by
    assert (NAME in names_of(certificates.context)) is is_trusted
    assert (
        certificates.context.verify_mode == ssl.CERT_REQUIRED
        and certificates.context.check_hostname
    )
    if replaced_by and is_trusted:
        assert names_of(certificates.context) == [NAME], "the system's count no longer"


def test_extra_authorities_are_added_to_the_usual_ones() -> None:
    usual, more = (
        read_certificates(environ).context
        for environ in ({}, {"NODE_EXTRA_CA_CERTS": str(AUTHORITY)})
    )
    assert sorted(names_of(more)) == sorted([*names_of(usual), NAME])


def make_empty_folder(folder: Path) -> Path:
    (folder / "empty").mkdir()
    return folder / "empty"


def make_text(folder: Path) -> Path:
    (folder / "notes.pem").write_text("no certificate")
    return folder / "notes.pem"


def make_cut(folder: Path) -> Path:
    (folder / "cut.pem").write_bytes(AUTHORITY.read_bytes()[:200])
    return folder / "cut.pem"


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (lambda folder: folder / "missing.pem", "No such file"),
        (make_text, "no certificate that can be read"),
        (make_cut, "no certificate that can be read"),
        (make_empty_folder, "is an empty folder"),
        (lambda folder: folder / "a\tb" / "c.pem", "No such file"),
    ],
)
@pytest.mark.parametrize("name", ["SSL_CERT_FILE", "REQUESTS_CA_BUNDLE", "NODE_EXTRA_CA_CERTS"])
def test_what_cannot_be_read_is_named(
    tmp_path: Path, name: str, make: Callable[[Path], Path], reason: str
) -> None:
    path = make(tmp_path)
    (unread,) = find_unread_certificates({name: str(path)})
    assert unread.name == name and str(path) in unread.reason and reason in unread.reason
    assert read_certificates({name: str(path)}).replaced_by == ""


def test_nothing_is_read_when_nothing_is_set() -> None:
    assert find_unread_certificates({"SSL_CERT_FILE": "  "}) == ()


def test_one_context_serves_the_process_and_verifies() -> None:
    context = load_tls_context()
    assert load_tls_context() is context
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)


def test_the_empty_context_trusts_no_server() -> None:
    context = build_empty_context()
    assert (context.verify_mode, context.check_hostname) == (ssl.CERT_REQUIRED, True)
    assert context.get_ca_certs() == []
