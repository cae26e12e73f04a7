"""Which provider is asked: the table, the order of detection, unknown names."""

import pytest

from maxagent.config.errors import UsageError
from maxagent.config.settings.schema import Endpoint, Settings
from maxagent.models.providers import (
    build_no_provider_error,
    detect_provider,
    get_provider,
    load_providers,
)

GLM, OPENAI, LITELLM = "GLM_API_KEY", "OPENAI_API_KEY", "LITELLM_API_KEY"


@pytest.mark.parametrize(
    ("variables", "name"),
    [
        ([GLM, OPENAI, LITELLM], "glm"),
        (["ZHIPU_KEY", OPENAI], "glm"),
        ([OPENAI, LITELLM], "openai"),
        ([LITELLM, "DEEPSEEK_API_KEY"], "litellm"),
        (["DEEPSEEK_API_KEY", "OPENROUTER_API_KEY"], "deepseek"),
        (["DASHSCOPE_API_KEY"], "qwen"),
        (["OPENAI_BASE_URL"], "openai"),
        (["OPENAI_BASE_URL", "MINIMAX_API_KEY"], "minimax"),
    ],
)
def test_keys_are_searched_in_order_before_endpoints(variables: list[str], name: str) -> None:
    assert detect_provider(Settings(), dict.fromkeys(variables, "http://x")).name == name


def test_the_settings_name_the_provider_before_any_key() -> None:
    chosen = detect_provider(Settings(litellm=Endpoint(provider="DeepSeek")), {GLM: "k"})
    assert chosen.name == "deepseek"


def test_a_bare_endpoint_speaks_the_openai_dialect() -> None:
    assert detect_provider(Settings(litellm=Endpoint(base_url="http://x/v1")), {}).name == "openai"


def test_an_empty_key_is_no_key() -> None:
    assert detect_provider(Settings(), {OPENAI: " "}) is None
    assert "`GLM_API_KEY`, `OPENAI_API_KEY`, `LITELLM_API_KEY`" in build_no_provider_error().hint


def test_unknown_provider_error_lists_known_and_nearest() -> None:
    with pytest.raises(UsageError, match="`opnai`") as caught:
        get_provider("opnai")
    assert caught.value.hint.startswith("Did you mean `openai`? Known providers: `glm`, `openai`")


def test_copilot_is_known_and_comes_later() -> None:
    with pytest.raises(UsageError, match="`copilot` is not supported yet") as caught:
        get_provider("copilot")
    assert "`copilot`" not in caught.value.hint


def test_openai_under_another_address_is_only_compatible() -> None:
    own = load_providers()["openai"]
    assert own.adapt_to(own.base_url).max_tokens_field == "max_completion_tokens"
    assert own.adapt_to("http://localhost:8000/v1").max_tokens_field == "max_tokens"


@pytest.mark.parametrize("name", list(load_providers()))
def test_http_providers_have_required_fields(name: str) -> None:
    found = load_providers()[name]
    over_http = found.available and name not in ("scripted", "replay")
    assert not over_http or found.base_url.startswith("http")
    assert not over_http or found.local or found.key_variables
    asks_server = found.local or name == "litellm"
    assert not over_http or bool(found.default_model) != asks_server
    variable = f"{name.upper().replace('-', '_')}_BASE_URL"
    assert name in ("scripted", "replay") or variable in found.list_endpoint_variables()
