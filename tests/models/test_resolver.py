"""From specs, settings and environment to one model."""

import re
import sys
from pathlib import Path
from typing import Any

import pytest

from maxagent.config.errors import UsageError
from maxagent.config.settings.schema import Endpoint, ModelLimits, ModelSection, Settings
from maxagent.models.auth.credentials import Credential, store_credential
from maxagent.models.catalog import Price
from maxagent.models.resolver import resolve

KEYS = {"OPENAI_API_KEY": "sk-open", "DEEPSEEK_API_KEY": "sk-deep"}
OWN_SERVER = Settings(litellm=Endpoint(base_url="http://localhost:8000/v1/"))


@pytest.mark.parametrize(
    ("spec", "name"),
    [
        ("", "openai/gpt-4o"),
        ("gpt-4.1", "openai/gpt-4.1"),
        ("deepseek/deepseek-reasoner", "deepseek/deepseek-reasoner"),
        ("deepseek:deepseek-chat", "deepseek/deepseek-chat"),
        ("deepseek", "deepseek/deepseek-chat"),
        ("deepseek/", "deepseek/deepseek-chat"),
        ("qwen3:8b", "openai/qwen3:8b"),
        ("scripted/demo.json", "scripted/demo.json"),
        ("scripted//tmp/a/demo.json", "scripted//tmp/a/demo.json"),
    ],
)
def test_a_known_first_part_is_the_provider(spec: str, name: str) -> None:
    assert resolve(Settings(), KEYS, spec).name == name


GLM_AND_OPENAI = {"GLM_API_KEY": "g", "OPENAI_API_KEY": "o"}
PROXY = {"LITELLM_API_KEY": "l"}


@pytest.mark.parametrize(
    ("environ", "spec", "name"),
    [
        (GLM_AND_OPENAI, "gpt-4o", "openai/gpt-4o"),
        (GLM_AND_OPENAI, "glm-4.6", "glm/glm-4.6"),
        (GLM_AND_OPENAI, "never-heard-of", "glm/never-heard-of"),
        (KEYS, "deepseek-chat", "deepseek/deepseek-chat"),
        ({"GLM_API_KEY": "g", "LLC": "1"}, "glm-5.3", "glm/glm-5.3"),
        (PROXY, "gpt-4o", "litellm/gpt-4o"),
        ({**PROXY, **KEYS}, "deepseek-chat", "deepseek/deepseek-chat"),
        ({**KEYS, "OPENAI_BASE_URL": "http://relay/v1"}, "deepseek-chat", "openai/deepseek-chat"),
    ],
)
def test_bare_name_goes_to_provider_with_key(environ: dict[str, str], spec: str, name: str) -> None:
    assert resolve(Settings(), environ, spec).name == name


GATEWAY_KEYS = {**KEYS, "LITELLM_API_KEY": "l", "OPENROUTER_API_KEY": "r", "GROQ_API_KEY": "q"}
AT_PROXY = {"base_url": "http://proxy.example/v1", "api_key": "p"}


@pytest.mark.parametrize(
    ("endpoint", "spec", "name", "key"),
    [
        (Endpoint(provider="litellm"), "openai/gpt-4o", "litellm/openai/gpt-4o", "l"),
        (
            Endpoint(provider="litellm"),
            "deepseek:deepseek-chat",
            "litellm/deepseek/deepseek-chat",
            "l",
        ),
        (Endpoint(provider="litellm"), "github_copilot/gpt-4", "litellm/github_copilot/gpt-4", "l"),
        (Endpoint(provider="LiteLLM", **AT_PROXY), "gemini/flash", "litellm/gemini/flash", "p"),
        (Endpoint(provider="litellm"), "litellm/gpt-4o", "litellm/gpt-4o", "l"),
        (
            Endpoint(provider="openrouter"),
            "deepseek/deepseek-chat",
            "openrouter/deepseek/deepseek-chat",
            "r",
        ),
        (Endpoint(provider="openrouter"), "anthropic/claude", "openrouter/anthropic/claude", "r"),
        (Endpoint(provider="groq"), "openai/gpt-oss-120b", "groq/openai/gpt-oss-120b", "q"),
        (Endpoint(provider="vllm"), "qwen/qwen3", "vllm/qwen/qwen3", ""),
        (Endpoint(provider="openai", **AT_PROXY), "kimi/k2", "openai/kimi/k2", "p"),
        (Endpoint(**AT_PROXY), "github_copilot/gpt-4", "litellm/github_copilot/gpt-4", "p"),
        (Endpoint(provider="glm"), "deepseek/deepseek-chat", "deepseek/deepseek-chat", "sk-deep"),
        (Endpoint(provider="openai"), "openai/gpt-4o", "openai/gpt-4o", "sk-open"),
        (Endpoint(provider="litellm"), "scripted/demo.json", "scripted/demo.json", ""),
    ],
)
def test_named_gateway_gets_the_whole_name(
    endpoint: Endpoint, spec: str, name: str, key: str
) -> None:
    model = resolve(Settings(litellm=endpoint), GATEWAY_KEYS, spec)
    assert (model.name, model.api_key) == (name, key)
    settings = Settings(litellm=endpoint, model=ModelSection(default=spec))
    if model.provider.name != "deepseek":
        assert resolve(settings, GATEWAY_KEYS).name == name


@pytest.mark.parametrize(
    ("provider", "default", "hint"),
    [
        ("glm", "openai/gpt-4o", "`glm/NAME`"),
        ("zhipu", "deepseek", "to `deepseek`"),
        ("qwen", "qwen", ""),
        ("glm", "glm-coding/glm-4.6", ""),
        ("deepseek", "openrouter/z-ai/glm-5", "to `openrouter`"),
        ("anthropic", "litellm/claude", "`anthropic/NAME`"),
        ("openai", "kimi/k2", "`openai/NAME`"),
    ],
)
def test_configured_model_of_another_provider_is_refused(
    provider: str, default: str, hint: str
) -> None:
    settings = Settings(litellm=Endpoint(provider=provider), model=ModelSection(default=default))
    environ = {**GATEWAY_KEYS, "DASHSCOPE_API_KEY": "d", "GLM_API_KEY": "g"}
    if not hint:
        assert resolve(settings, environ).api_key in ("d", "g")
        return
    with pytest.raises(UsageError, match=f"`{default}`, but `litellm.provider` is") as caught:
        resolve(settings, environ)
    assert hint in caught.value.hint


@pytest.mark.parametrize(
    ("variable", "spec", "name"),
    [
        ("GLM_BASE_URL", "gpt-4o", "openai/gpt-4o"),
        ("ZHIPU_BASE_URL", "deepseek-chat", "deepseek/deepseek-chat"),
        ("GLM_BASE_URL", "glm-4.6", "glm/glm-4.6"),
        ("GLM_BASE_URL", "never-heard-of", "glm/never-heard-of"),
        ("GLM_BASE_URL", "claude-sonnet-5-5", "glm/claude-sonnet-5-5"),
        ("OPENAI_BASE_URL", "gpt-4o", "openai/gpt-4o"),
    ],
)
def test_address_of_a_maker_captures_no_other(variable: str, spec: str, name: str) -> None:
    environ = {**KEYS, "GLM_API_KEY": "g", variable: "https://coding.example/v4"}
    assert resolve(Settings(), environ, spec).name == name


def test_bare_name_without_key_names_the_variable() -> None:
    with pytest.raises(UsageError, match="No key for the provider `deepseek`") as caught:
        resolve(Settings(), GLM_AND_OPENAI, "deepseek-chat")
    assert "`DEEPSEEK_API_KEY`" in caught.value.hint


@pytest.mark.parametrize(
    ("endpoint", "name"),
    [
        (Endpoint(provider="glm"), "glm/gpt-4o"),
        (Endpoint(base_url="http://localhost:8000/v1"), "glm/gpt-4o"),
    ],
)
def test_named_provider_and_endpoint_get_bare_names(endpoint: Endpoint, name: str) -> None:
    assert resolve(Settings(litellm=endpoint), GLM_AND_OPENAI, "gpt-4o").name == name


@pytest.mark.parametrize("spec", ["ollama", "lmstudio", "vllm", "llamacpp", "litellm"])
def test_model_of_a_local_server_stays_open(spec: str) -> None:
    assert resolve(Settings(), {}, spec).model == ""


def test_price_and_vision_come_from_user_then_catalog() -> None:
    numbers = {"price": {"input": 1, "output": 2}, "vision": False}
    settings = limits(**{"gpt-4o": numbers})
    assert resolve(settings, KEYS, "gpt-4o").price == Price(1, 2)
    assert resolve(settings, KEYS, "gpt-4o").vision is False
    assert resolve(settings, KEYS, "gpt-4.1").price == Price(2, 8, 0.5)
    assert resolve(settings, KEYS, "gpt-4.1").vision is True
    unknown = resolve(settings, KEYS, "openai/never-heard-of")
    assert (unknown.price, unknown.vision) == (None, None)


def test_slashed_name_is_kept_on_custom_server() -> None:
    assert resolve(OWN_SERVER, {}, "Qwen/Qwen3-Coder").model == "Qwen/Qwen3-Coder"
    by_variable = {"OPENAI_BASE_URL": "http://localhost:8000/v1"}
    assert resolve(Settings(), by_variable, "Qwen/Qwen3-Coder").model == "Qwen/Qwen3-Coder"


def test_slashed_name_is_kept_for_slashed_provider() -> None:
    asked = resolve(Settings(), {"OPENROUTER_API_KEY": "k"}, "z-ai/glm-5")
    assert (asked.name, asked.model) == ("openrouter/z-ai/glm-5", "z-ai/glm-5")


def test_unknown_provider_is_reported_before_missing_key() -> None:
    with pytest.raises(UsageError, match="unknown provider `opanai`"):
        resolve(Settings(), {}, "opanai/gpt-4o")
    with pytest.raises(UsageError, match="no model provider is configured") as caught:
        resolve(Settings(), {}, "gpt-4o")
    assert re.findall("`(.*?)`", caught.value.hint) == ["mcode auth login"]  # the one way on


def test_elsewhere_an_unknown_first_part_is_a_mistake() -> None:
    with pytest.raises(UsageError, match="unknown provider `opanai`") as caught:
        resolve(Settings(), KEYS, "opanai/gpt-4o")
    assert "did you mean `openai`?" in caught.value.hint


def test_settings_choose_model_and_spec_overrides() -> None:
    settings = Settings(model=ModelSection(default="deepseek/deepseek-chat"))
    assert resolve(settings, KEYS).name == "deepseek/deepseek-chat"
    assert resolve(settings, KEYS, "openai/o3").name == "openai/o3"


@pytest.mark.parametrize(
    ("settings", "environ", "url"),
    [
        (Settings(), KEYS, "https://api.openai.com/v1"),
        (Settings(), {**KEYS, "OPENAI_BASE_URL": "http://relay/v1/"}, "http://relay/v1"),
        (OWN_SERVER, {**KEYS, "OPENAI_BASE_URL": "http://relay"}, "http://localhost:8000/v1"),
    ],
)
def test_endpoint_precedence_is_settings_environment_table(
    settings: Settings, environ: dict[str, str], url: str
) -> None:
    assert resolve(settings, environ).base_url == url


def test_endpoint_and_key_never_go_to_another_provider() -> None:
    endpoint = Endpoint(provider="glm", base_url="https://glm.example/v4", api_key="glm-secret")
    settings = Settings(litellm=endpoint)
    assert resolve(settings, KEYS).api_key == "glm-secret"
    other = resolve(settings, KEYS, "deepseek/deepseek-chat")
    assert (other.base_url, other.api_key) == ("https://api.deepseek.com", "sk-deep")


def test_endpoint_and_key_belong_to_any_alias() -> None:
    endpoint = Endpoint(provider="zhipu", base_url="https://glm.example/v4", api_key="glm-secret")
    asked = resolve(Settings(litellm=endpoint), {})
    assert (asked.base_url, asked.api_key) == ("https://glm.example/v4", "glm-secret")


@pytest.mark.parametrize("spec", ["glm/glm-4.6", "openrouter/z-ai/glm-5", "minimax/MiniMax-M2"])
def test_without_a_key_the_variables_are_named(spec: str) -> None:
    with pytest.raises(UsageError, match="No key") as caught:
        resolve(Settings(), {}, spec)
    assert caught.value.exit_code == 2
    assert "_API_KEY`" in caught.value.hint


@pytest.mark.parametrize(
    ("settings", "spec"), [(OWN_SERVER, "any"), (Settings(), "litellm/gpt-4o")]
)
def test_a_server_of_ones_own_needs_no_key(settings: Settings, spec: str) -> None:
    assert resolve(settings, {}, spec).api_key == ""


@pytest.mark.parametrize(
    "url", ["localhost:0", "ftp://x/v1", "https://", "/v1", "http://[::1", "http://x:y"]
)
def test_an_address_that_is_none_is_refused(url: str) -> None:
    with pytest.raises(UsageError, match="not an http"):
        resolve(Settings(litellm=Endpoint(base_url=url)), {})


@pytest.mark.parametrize("key", ["sk-a b", "sk-a\nb", "“sk-a"])
def test_invalid_key_is_refused_without_showing_it(key: str) -> None:
    with pytest.raises(UsageError, match="contains invalid characters") as caught:
        resolve(Settings(), {"OPENAI_API_KEY": key})
    assert key not in caught.value.message + caught.value.hint


def test_the_key_is_in_no_repr() -> None:
    with_secrets = Endpoint(base_url="https://me:hidden@host:8443/v1")
    asked = resolve(Settings(litellm=with_secrets), KEYS)
    assert asked.api_key == "sk-open"
    assert not any(secret in repr(asked) + asked.host for secret in ("sk-open", "hidden"))
    assert asked.host == "host:8443"


def limits(**models: Any) -> Settings:
    model_limits = {name.replace("__", "/"): ModelLimits(**each) for name, each in models.items()}
    return Settings(model=ModelSection(max_tokens=111, context_length=222, models=model_limits))


def windows(usual: int, number: int | None = None) -> Settings:
    models = {"gpt-4.1": ModelLimits(context_length=number)} if number else {}
    return Settings(model=ModelSection(context_length=usual, models=models))


@pytest.mark.parametrize(
    ("settings", "spec", "expected"),
    [
        (limits(), "openai/never-heard-of", (111, 222)),
        (limits(), "openai/gpt-4o", (16_384, 222)),
        (Settings(), "openai/gpt-4.1", (32_000, 1_047_576)),
        (windows(2_000_000), "openai/gpt-4.1", (32_000, 1_047_576)),
        (windows(200_000), "openai/gpt-4.1", (32_000, 200_000)),
        (windows(200_000, 500_000), "openai/gpt-4.1", (32_000, 500_000)),
        (limits(o3={"max_tokens": 5}), "openai/o3", (5, 222)),
        (
            limits(o3={"max_tokens": 5, "context_length": 6}, openai__o3={"max_tokens": 7}),
            "openai/o3",
            (7, 6),
        ),
    ],
)
def test_limits_precedence_is_provider_model_catalog_global(
    settings: Settings, spec: str, expected: tuple[int, int]
) -> None:
    asked = resolve(settings, KEYS, spec)
    assert (asked.max_tokens, asked.context_length) == expected


def test_temperature_is_sent_only_to_supporting_models() -> None:
    settings = Settings(model=ModelSection(temperature=0.3))
    assert resolve(settings, KEYS, "openai/gpt-4o").temperature == 0.3
    assert resolve(settings, KEYS, "openai/gpt-5").temperature is None


def test_the_protocol_is_the_models_own_unless_configured() -> None:
    assert resolve(Settings(), KEYS, "openai/gpt-4o").api == "chat"
    assert resolve(Settings(), KEYS, "openai/gpt-5.3-codex").api == "responses"
    chosen = Settings(model=ModelSection(models={"gpt-4o": ModelLimits(api="responses")}))
    assert resolve(chosen, KEYS, "openai/gpt-4o").api == "responses"


def test_a_missing_extra_is_named_with_its_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "langchain_openai", None)
    chosen = Settings(model=ModelSection(models={"gpt-4o": ModelLimits(api="langchain-openai")}))
    with pytest.raises(UsageError, match="openai/gpt-4o.*not installed") as caught:
        resolve(chosen, KEYS, "openai/gpt-4o")
    assert caught.value.hint == 'pip install "maxagent[openai]"'
    assert resolve(Settings(), KEYS, "openai/gpt-5.3-codex").api == "responses"


@pytest.mark.parametrize(
    ("environ", "settings", "key"),
    [
        ({}, Settings(), "stored-key"),
        ({"OPENAI_API_KEY": "from-environment"}, Settings(), "from-environment"),
        ({}, Settings(litellm=Endpoint(api_key="from-settings")), "from-settings"),
    ],
)
def test_a_stored_key_counts_last(
    tmp_path: Path, environ: dict[str, str], settings: Settings, key: str
) -> None:
    store_credential(tmp_path, "openai", Credential("stored-key"))
    home = {"MAXAGENT_HOME": str(tmp_path)}
    assert resolve(settings, environ | home, "openai/gpt-4o").api_key == key


def test_providers_of_one_maker_share_the_stored_key(tmp_path: Path) -> None:
    store_credential(tmp_path, "glm", Credential("stored-key"))
    assert resolve(Settings(), {"HOME": "", "LLC_HOME": str(tmp_path)}, "glm-coding").api_key


def test_copilot_needs_a_login_and_has_no_key(tmp_path: Path) -> None:
    environ = {"MAXAGENT_HOME": str(tmp_path)}
    with pytest.raises(UsageError, match="not logged in") as caught:
        resolve(Settings(), environ, "github_copilot/gpt-4o")
    assert "`mcode auth login copilot`" in caught.value.hint
    store_credential(tmp_path, "copilot", Credential("gho_token"))
    result = resolve(Settings(), environ, "copilot/gpt-4o")
    assert result.name == "copilot/gpt-4o" and result.api_key == ""
    assert result.login and (result.login.home, result.login.base_url) == (tmp_path, "")
    texts = environ | {"COPILOT_BASE_URL": "http://localhost:1"}
    assert resolve(Settings(), texts, "copilot").login.base_url == "http://localhost:1"


@pytest.mark.parametrize(
    ("environ", "spec", "base_url"),
    [
        (
            {"OPENAI_API_KEY": '"k"', "OPENAI_BASE_URL": '"https://a.b/v1"'},
            "openai",
            "https://a.b/v1",
        ),
        ({"OPENAI_API_KEY": "k\n", "OPENAI_API_BASE": "a.b/v1/"}, "openai", "https://a.b/v1"),
        ({"DEEPSEEK_API_KEY": "'k'", "DEEPSEEK_BASE_URL": " a.b:80/v1 "}, "", "https://a.b:80/v1"),
        (
            {"ANTHROPIC_API_KEY": "Bearer k", "ANTHROPIC_BASE_URL": "'https://a.b/v1/messages'"},
            "anthropic",
            "https://a.b/v1",
        ),
        ({"ZHIPU_KEY": "“k”", "ZHIPU_BASE_URL": "<https://a.b/v4>"}, "glm", "https://a.b/v4"),
        ({"LITELLM_API_KEY": "\ufeffk", "LITELLM_BASE_URL": "proxy:4000"}, "", "http://proxy:4000"),
    ],
)
def test_marks_around_a_variable_are_dropped(
    environ: dict[str, str], spec: str, base_url: str
) -> None:
    resolved = resolve(Settings(), environ, spec)
    assert (resolved.base_url, resolved.api_key) == (base_url, "k")
