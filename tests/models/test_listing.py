"""The list of models: order, names, keys, what the user corrects."""

import pytest
from provider import Provider

from maxagent.config.settings.schema import Endpoint, ModelLimits, ModelSection, Settings
from maxagent.models.listing import (
    find_model_in_use,
    has_access,
    list_models,
    list_models_with_names,
    list_usable_models,
)
from maxagent.models.providers import load_providers

KEYS = {"DEEPSEEK_API_KEY": "k"}
LOCAL_GLM = Endpoint(provider="glm", base_url="http://localhost:8/v1")


def test_models_with_a_key_come_first() -> None:
    listings = list_models(Settings(), KEYS)
    with_key = [listing.has_key for listing in listings]
    assert with_key == sorted(with_key, reverse=True)
    assert listings[0].model.name == "deepseek/deepseek-chat"
    assert [listing.model.name for listing in listings if listing.in_use] == [
        "deepseek/deepseek-chat"
    ]


def test_own_and_default_models_are_listed() -> None:
    models = {"z-ai/x": ModelLimits(), "moonshot/own": ModelLimits(context_length=7)}
    settings = Settings(model=ModelSection(models=models))
    (own, *others) = [listing.model for listing in list_models(settings, {}, "kimi")]
    assert (own.name, own.context_length) == ("kimi/own", 7)
    assert "kimi/kimi-k2.7-code" in [model.name for model in others]
    names = [listing.model.name for listing in list_models(settings, {}, "openrouter")]
    assert names == ["openrouter/z-ai/glm-4.6"]


def test_local_servers_need_no_key() -> None:
    rows = load_providers()
    assert has_access(Settings(), {}, rows["ollama"])
    assert not has_access(Settings(), {}, rows["groq"])


def test_nothing_configured_marks_no_model() -> None:
    assert find_model_in_use(Settings(), {}) == ""
    assert not any(listing.in_use for listing in list_models(Settings(), {}))


@pytest.mark.parametrize(
    ("chosen", "environ", "served", "expected", "others"),
    [
        ("", {"OPENAI_API_KEY": "k"}, ["own", "text-embedding-3"], ["openai/own"], set[str]()),
        ("", {"GLM_API_KEY": "g"}, ["a"], ["glm/a"], set[str]()),
        ("glm", {"DEEPSEEK_API_KEY": "d"}, ["a", "b"], ["glm/a", "glm/b"], {"deepseek"}),
        ("glm", {}, [], [], set[str]()),
        ("openai", {"GLM_API_KEY": "g"}, ["glm-4.6"], ["openai/glm-4.6"], set[str]()),
    ],
)
async def test_own_server_says_itself_what_it_has(
    provider: Provider, chosen: str, environ: dict[str, str], served: list[str],
    expected: list[str], others: set[str],
) -> None:  # fmt: skip
    rows = [{"id": name} for name in served]
    provider.script(lambda _: {"status": 200, "body": {"data": rows}})
    endpoint = Endpoint(provider=chosen, base_url=provider.url)
    listings = await list_usable_models(Settings(litellm=endpoint), environ, "")
    makers = {"glm", "deepseek", "openai", "kimi"} - others
    at_server = [each.model for each in listings if each.model.provider.name in makers]
    assert [model.name for model in at_server] == expected
    assert all(model.price is None for model in at_server)
    assert others <= {listing.model.provider.name for listing in listings}


@pytest.mark.parametrize(
    ("endpoint", "name", "is_priced"),
    [
        (Endpoint(), "glm/glm-4.6", True),
        (LOCAL_GLM, "glm/glm-4.6", False),
        (Endpoint(base_url="http://localhost:8/v1"), "openai/gpt-4o", False),
        (Endpoint(base_url="https://api.openai.com/v1"), "openai/gpt-4o", True),
        (LOCAL_GLM, "deepseek/deepseek-chat", True),
    ],
)
def test_list_price_is_for_the_makers_address(
    endpoint: Endpoint, name: str, is_priced: bool
) -> None:
    environ = {"GLM_API_KEY": "g", "OPENAI_API_KEY": "k", "DEEPSEEK_API_KEY": "d"}
    provider, _, model = name.partition("/")
    settings = Settings(litellm=endpoint)
    [listing] = list_models_with_names(settings, environ, load_providers()[provider], [model], "")
    assert (listing.model.price is not None) == is_priced
