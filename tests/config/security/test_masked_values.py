import pytest

from maxagent.config.security.masked_values import (
    join_words,
    mask_arguments,
    mask_literals,
    mask_named,
    mask_url,
)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("", ""),
        ("secret", "***"),
        ("${TOKEN}", "${TOKEN}"),
        ("Bearer ${TOKEN}", "Bearer ${TOKEN}"),
        ("Bearer abc", "Bearer ***"),
        ("a${TOKEN}b", "***${TOKEN}***"),
        ("${TOKEN:-abc}", "${TOKEN:-***}"),
        ("${A:-${B:-x}}", "${A:-${B:-***}}"),
        ("${env:TOKEN}", "${env:TOKEN}"),
    ],
)
def test_only_variables_of_a_secret_are_shown(value: str, text: str) -> None:
    assert mask_literals(value) == text


@pytest.mark.parametrize(
    ("name", "value", "text"),
    [
        ("API_KEY", "abc", "***"),
        ("API_KEY", "${KEY}", "${KEY}"),
        ("DEBUG", "1", "1"),
        ("NODE_OPTIONS", "--require ./x.js", "--require ./x.js"),
        ("URL", "https://me:word@h", "https://***@h"),
    ],
)
def test_a_value_is_masked_by_its_name(name: str, value: str, text: str) -> None:
    assert mask_named(name, value) == text


def test_arguments_keep_their_variables() -> None:
    names = ["--token", "${T}", "--api-key=abc", "--port", "1", "${A:-b}"]
    assert [*mask_arguments(names)] == [
        "--token",
        "${T}",
        "--api-key=***",
        "--port",
        "1",
        "${A:-b}",
    ]


def test_words_with_variables_are_not_quoted() -> None:
    assert join_words(["x", "${A}", "a b", "${A b}"]) == "x ${A} 'a b' '${A b}'"


def test_a_url_keeps_variables_in_any_place() -> None:
    url = "https://${U}:word@h/${P}?a=${Q}&b=c"
    assert mask_url(url) == "https://${U}***@h/${P}?a=${Q}&b=***"
