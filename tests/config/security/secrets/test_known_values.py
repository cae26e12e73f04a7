"""Secrets whose values are known."""

import pytest

from maxagent.config.security.secrets import known_values
from maxagent.config.security.secrets.known_values import (
    find_known_values,
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
