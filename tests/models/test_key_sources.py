"""Where keys come from."""

from pathlib import Path

import pytest

from maxagent.config.settings.schema import Endpoint, Settings
from maxagent.models.auth.credentials import Credential, store_credential
from maxagent.models.key_sources import KeySource, list_key_sources

ENVIRON = {"OPENAI_API_KEY": "k"}
BARE = Settings(litellm=Endpoint(api_key="k"))
NAMED = Settings(litellm=Endpoint(api_key="k", provider="deepseek"))


@pytest.mark.parametrize(
    ("settings", "environ", "sources"),
    [
        (Settings(), {}, []),
        (Settings(), ENVIRON, [KeySource("openai", "environment", "OPENAI_API_KEY")]),
        (Settings(), {"OPENAI_API_KEY": " "}, []),
        (NAMED, {}, [KeySource("deepseek", "settings", "litellm.api_key")]),
        (
            Settings(litellm=Endpoint(api_key="k")),
            {},
            [KeySource("openai", "settings", "litellm.api_key")],
        ),
        (
            Settings(),
            {"ZHIPU_KEY": "k"},
            [
                KeySource("glm", "environment", "ZHIPU_KEY"),
                KeySource("glm-coding", "environment", "ZHIPU_KEY"),
            ],
        ),
    ],
)
def test_each_key_has_one_source(
    settings: Settings, environ: dict[str, str], sources: list[KeySource]
) -> None:
    assert list_key_sources(settings, environ) == sources


def test_stored_keys_and_logins_are_listed(tmp_path: Path) -> None:
    store_credential(tmp_path, "copilot", Credential("t", account="octocat", expires_at=5.0))
    store_credential(tmp_path, "openai", Credential("k"))
    assert list_key_sources(Settings(), {"MAXAGENT_HOME": str(tmp_path)}) == [
        KeySource("openai", "key"),
        KeySource("copilot", "login", "", "octocat", 5.0),
    ]


def test_providers_of_one_maker_share_a_stored_key(tmp_path: Path) -> None:
    store_credential(tmp_path, "glm", Credential("k"))
    assert list_key_sources(Settings(), {"MAXAGENT_HOME": str(tmp_path)}) == [
        KeySource("glm", "key"),
        KeySource("glm-coding", "key"),
    ]
