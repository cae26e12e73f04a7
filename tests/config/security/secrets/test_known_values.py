"""Secrets whose values are known."""

import base64
import random
from pathlib import Path

import pytest

from maxagent.config.security.secrets import known_values
from maxagent.config.security.secrets.known_values import (
    find_known_values,
    is_secret_name,
    is_secret_value,
    load_known_secrets,
    remember_secret,
)


@pytest.fixture(autouse=True)
def _remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(known_values, "_remembered", {})


@pytest.mark.parametrize(
    "value",
    ["${TRACKER_API_TOKEN}", "${env:DOCS_TOKEN_2}", "${A_KEY:-${B_KEY}}", "${X_1:-}", "short1"],
)
def test_name_of_a_variable_is_no_secret(value: str) -> None:
    remember_secret("token", value)
    assert [*find_known_values(f"token: {value}", load_known_secrets())] == []


def test_remembered_value_is_found_in_each_encoding() -> None:
    remember_secret("token", "pa$s/{w}ord-9")
    written = "pa$s/{w}ord-9 pa%24s%2F%7Bw%7Dord-9"
    matches = find_known_values(written, load_known_secrets())
    assert [name for name, *_ in matches] == ["token", "token"]


@pytest.mark.parametrize("around", ['"{}"', "'{}'\n", "“{}”", " {} ", "\ufeff{}"])
def test_a_quoted_variable_is_found_without_quotes(
    monkeypatch: pytest.MonkeyPatch, around: str
) -> None:
    monkeypatch.setenv("SOME_API_KEY", around.format("sk-very-secret-9"))
    assert [
        name for name, *_ in find_known_values("it is sk-very-secret-9.", load_known_secrets())
    ] == ["SOME_API_KEY"]


@pytest.mark.parametrize("length", [16, 20, 24, 30, 32, 48, 64])
def test_random_key_is_a_secret(length: int) -> None:
    source = random.Random(length)
    keys = [base64.b64encode(source.randbytes(length)).decode() for _ in range(6_400)]
    assert any(key.startswith("/") for key in keys)
    assert [key for key in keys if not is_secret_value(key)] == []


@pytest.mark.parametrize(
    "key",
    [
        "/JalrXUtnFEMI8K7MDENGbPxRfiCYzEXAMPLEKEY",
        "/JalrXUtnFEMI/K7MDENG/bPxRfiCYzEXAMPLEKEY",
        "/aB3dE5gH7jK9mN1",
        "/9f86d081884c7d659a2feaa0c55ad015",
        "//8K7MDENGbPxRfiCYzEXAMPLEKE==",
        "/pa$s/w0rd!9",
        "/x+y/Zq8kk2=",
    ],
)
def test_key_with_a_slash_first_is_redacted(monkeypatch: pytest.MonkeyPatch, key: str) -> None:
    monkeypatch.setenv("SESSION_SECRET", key)
    assert [name for name, *_ in find_known_values(f"({key})", load_known_secrets())] == [
        "SESSION_SECRET"
    ]


@pytest.mark.parametrize(
    "path",
    [
        "/home/ada/keys/service-account.json",
        "/Users/AdaLovelace/Library/Application Support/gcloud/key_2.json",
        "/var/run/secrets/kubernetes.io/serviceaccount/token",
        "/run/user/1000/keyring/ssh",
        "/etc/ssl/private/Server01.KEY",
        "/home/müller/Schlüssel/ключ.json",
        "/api/v1/login",
        "/secrets",
        "/opt/keys/a:/opt/keys/b",
    ],
)
def test_path_is_no_secret(path: str) -> None:
    assert not is_secret_value(path)


@pytest.mark.parametrize("folder", ["aB3dE5gH7jK9mN1", "a+b=c!", "ssh-x9Y8z7W6v5U4", "ü$", "/x=1"])
def test_path_of_a_file_is_no_secret(tmp_path: Path, folder: str) -> None:
    file = Path(f"{tmp_path}/{folder}/agent.17")
    assert is_secret_value(str(file))
    file.parent.mkdir()
    file.touch()
    assert not is_secret_value(str(file))


@pytest.mark.parametrize(
    "name, is_secret",
    [
        ("DB_PASS", True),
        ("SMTP_PASS", True),
        ("SSHPASS", True),
        ("KEY_PASSPHRASE", True),
        ("MYSQL_PWD", True),
        ("PASSENGER_ROOT", False),
        ("BYPASS", False),
        ("OLDPWD", False),
        ("KEY_FILE", False),
        ("SSH_AUTH_SOCK", False),
        ("TOKEN_PATH", False),
        ("SSH_ASKPASS", False),
    ],
)
def test_name_of_a_secret(name: str, is_secret: bool) -> None:
    assert is_secret_name(name) == is_secret
