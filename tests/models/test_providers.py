"""Which provider is asked: the table, the order of detection, unknown names."""

import json
import re
from pathlib import Path

import pytest

from maxagent.config.errors import UsageError
from maxagent.config.settings.schema import Endpoint, Settings
from maxagent.models import providers
from maxagent.models.auth.credentials import Credential, store_credential
from maxagent.models.providers import (
    build_no_provider_error,
    detect_provider,
    get_provider,
    load_providers,
)
from maxagent.models.replay import REASONING_FIELDS

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


def test_hint_is_short_and_names_the_way() -> None:
    hint = build_no_provider_error().hint
    assert len(hint) < 100 and "`mcode auth login`" in hint


@pytest.mark.parametrize(
    ("stored", "environ", "name"),
    [
        (["copilot"], {}, "copilot"),
        (["copilot", "groq", "openai"], {}, "openai"),
        (["openai", "glm"], {}, "glm"),
        (["glm-coding"], {}, "glm-coding"),
        (["openai"], {"GROQ_API_KEY": "k"}, "groq"),
        (["openai"], {"OLLAMA_BASE_URL": "http://x"}, "ollama"),
        (["a-later-one"], {}, ""),
    ],
)
def test_stored_keys_come_after_the_environment(
    tmp_path: Path, stored: list[str], environ: dict[str, str], name: str
) -> None:
    for provider in stored:
        store_credential(tmp_path, provider, Credential("some-key-4711"))
    result = detect_provider(Settings(), {**environ, "MAXAGENT_HOME": str(tmp_path)})
    assert (result.name if result else "") == name


def test_unknown_provider_error_lists_known_and_nearest() -> None:
    with pytest.raises(UsageError, match="`opnai`") as caught:
        get_provider("opnai")
    assert caught.value.hint.startswith("did you mean `openai`? known providers: `glm`, `openai`")


@pytest.mark.parametrize("name", ["nope", "acme", "x", "local", "gpt"])
def test_unknown_provider_error_guesses_only_near_names(name: str) -> None:
    with pytest.raises(UsageError) as caught:
        get_provider(name)
    assert caught.value.hint.startswith("known providers: ")
    assert not any(f"`{double}`" in caught.value.hint for double in ("scripted", "replay"))


@pytest.mark.parametrize("name", ["copilot", "github_copilot", "github-copilot"])
def test_copilot_is_known_by_each_name(name: str) -> None:
    assert get_provider(name).login


def test_openai_under_another_address_is_only_compatible() -> None:
    own = load_providers()["openai"]
    assert own.adapt_to(own.base_url).max_tokens_field == "max_completion_tokens"
    assert own.adapt_to("http://localhost:8000/v1").max_tokens_field == "max_tokens"


@pytest.mark.parametrize("name", list(load_providers()))
def test_http_providers_have_required_fields(name: str) -> None:
    result = load_providers()[name]
    over_http = result.available and name not in ("scripted", "replay", "program")
    assert not over_http or result.base_url.startswith("http")
    assert not over_http or result.local or result.login or result.key_variables
    asks_server = result.local or name == "litellm"
    assert not over_http or bool(result.default_model) != asks_server
    variable = f"{name.upper().replace('-', '_')}_BASE_URL"
    assert name in ("scripted", "replay", "program") or variable in result.list_endpoint_variables()


def test_fields_that_go_back_are_kept() -> None:
    rows = json.loads((Path(providers.__file__).parent / "providers.json").read_text("utf-8"))
    sent = set(re.findall(r'"fields": \[([^\]]*)\]', json.dumps(rows)))
    names = {name for entries in sent for name in re.findall(r"\w+", entries)}
    assert names and names <= {*REASONING_FIELDS}
