"""The list of models: order, names, keys, what the user corrects."""

from maxagent.config.settings.schema import ModelLimits, ModelSection, Settings
from maxagent.models.listing import find_model_in_use, has_access, list_models
from maxagent.models.providers import load_providers

KEYS = {"DEEPSEEK_API_KEY": "k"}


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
