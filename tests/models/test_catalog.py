"""Limits and prices of known models."""

import pytest

from maxagent.models.catalog import compute_cost, find_model, load_catalog
from maxagent.models.providers import load_providers


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
    assert 0 < entry.output <= 1_000_000 and 1000 <= entry.context <= 3_000_000
    if entry.price:
        assert entry.price.output >= entry.price.input >= (entry.price.cached or 0) >= 0


def test_default_models_of_cataloged_providers_are_in_catalog() -> None:
    makers = {name.partition("/")[0] for name in load_catalog()}
    missing = [m for m in makers if find_model(f"{m}/{load_providers()[m].default_model}") is None]
    assert missing == []


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
    assert compute_cost(name, tokens) == pytest.approx(dollars)


def test_an_unknown_price_is_no_cost() -> None:
    assert compute_cost("openai/never-heard-of", usage(1, 1)) is None
    assert compute_cost("qwen/qwen3-coder-plus", usage(1, 1)) is None
    assert compute_cost("openrouter/z-ai/glm-4.6", usage(1, 1)) is None


def test_gateway_model_has_limits_but_no_price() -> None:
    found = find_model("openrouter/z-ai/glm-4.6")
    assert found is not None and (found.context, found.price) == (200_000, None)
    assert find_model("minimax/minimax-m2") is not None
    assert find_model("openai/never-heard-of") is None
