"""Limits and prices of known models."""

import pytest

from maxagent.models.catalog import (
    NO_CATALOG,
    compute_cost,
    find_model,
    list_models_of,
    list_providers_of,
    load_catalog,
    parse_catalog,
)
from maxagent.models.providers import Provider, load_providers


def usage(read: int, written: int, cached: int = 0) -> dict:
    return {
        "input_tokens": read,
        "output_tokens": written,
        "total_tokens": read + written,
        "input_token_details": {"cache_read": cached},
    }


@pytest.mark.parametrize("name", list(load_catalog()))
def test_every_entry_is_sane(name: str) -> None:
    entry = load_catalog()[name]
    assert name.partition("/")[0] in load_providers()
    assert 0 < entry.output <= 1_100_000 and 1000 <= entry.context <= 3_000_000
    for price in (entry.price, entry.price and entry.price.above):
        assert not price or price.output >= price.input >= (price.cached or 0) >= 0


@pytest.mark.parametrize("provider", list(load_providers().values()), ids=lambda row: row.name)
def test_default_models_are_in_catalog(provider: Provider) -> None:
    name = provider.default_model
    assert (
        not name
        or not (provider.base_url and provider.available)
        or find_model(f"{provider.name}/{name}")
    )


@pytest.mark.parametrize(
    ("name", "tokens", "dollars"),
    [
        ("openai/gpt-4o", usage(1_000_000, 100_000), 2.5 + 1.0),
        ("openai/gpt-4o", usage(1_000_000, 0, cached=800_000), 0.5 + 1.0),
        ("glm/glm-4.5", usage(1_000_000, 0, cached=1_000_000), 0.6),
        ("openai/gpt-5.4", usage(272_000, 0), 0.68),
        ("openai/gpt-5.4", usage(300_000, 0), 1.5),
        ("scripted/any/path.json", usage(1_000_000, 1_000_000), 0.0),
    ],
)
def test_cost_counts_cached_tokens_and_long_requests(name: str, tokens, dollars: float) -> None:
    assert compute_cost(find_model(name).price, tokens) == pytest.approx(dollars)


def test_an_unknown_price_is_no_cost() -> None:
    assert compute_cost(None, usage(1, 1)) is None
    assert find_model("qwen/qwen3-coder-plus").price is None


@pytest.mark.parametrize(
    "name",
    ["openrouter/z-ai/glm-4.6", "glm-coding/glm-4.6", "openrouter/z-ai/glm-4.6:free"],
)
def test_gateway_model_has_limits_but_no_price(name: str) -> None:
    result = find_model(name)
    assert result is not None and (result.context, result.price) == (200_000, None)


def test_names_match_in_the_spelling_of_gateways() -> None:
    assert find_model("minimax/minimax-m2") is not None
    assert find_model("openrouter/openai/gpt-4-1") is not None
    assert find_model("openai/never-heard-of") is None
    assert find_model("ollama/deepseek-r1:8b") is None


def test_models_and_providers_are_listed_both_ways() -> None:
    assert list_providers_of("GPT-4o") == ["openai"]
    assert list_providers_of("never-heard-of") == []
    assert "glm-4.6" in list_models_of("glm")
    assert list_models_of("scripted") == []


@pytest.mark.parametrize(
    "document",
    [
        b"",
        b"[]",
        b"{}",
        b'{"models": []}',
        b'{"models": {"a/b": {"x": 1}}}',
        b'{"models": {"a/b": 3}}',
    ]
    + [b'{"models": {"a/b": {"context": "1", "output": 1}}}'],
)
def test_other_documents_are_no_catalog(document: bytes) -> None:
    with pytest.raises(NO_CATALOG):
        parse_catalog(document)
