"""The provider of a pasted key."""

import pytest

from maxagent.models.auth.key_shapes import KEY_SHAPES, clean_key, is_valid_key, recognize_key
from maxagent.models.providers import load_providers

KEYS = {
    "sk-ant-api03-" + "a1B2" * 20: "anthropic",
    "sk-or-v1-" + "0a" * 32: "openrouter",
    "sk-proj-" + "aB3_" * 20: "openai",
    "sk-svcacct-" + "aB3_" * 20: "openai",
    "gsk_" + "aB3" * 16: "groq",
    "xai-" + "aB3" * 20: "xai",
    "AIza" + "aB3-_" * 7: "gemini",
    "0123456789abcdef" * 2 + ".aBcDeFgH12345678": "glm",
    "gho_" + "a1B2" * 9: "copilot",
    "sk-" + "0a" * 16: "",  # DeepSeek, Qwen and Kimi
    "hello": "",
    "": "",
}


@pytest.mark.parametrize(("key", "provider"), KEYS.items())
def test_a_key_names_its_provider(key: str, provider: str) -> None:
    assert recognize_key(key) == provider
    assert recognize_key(f" {key}\n") == provider


def test_every_shape_belongs_to_a_known_provider() -> None:
    assert {name for name, _ in KEY_SHAPES} <= load_providers().keys()


@pytest.mark.parametrize(
    ("key", "valid"), [("sk-1", True), ("", False), ("a b", False), ("a\n", False), ("ключ", False)]
)
def test_only_printable_ascii_is_a_key(key: str, valid: bool) -> None:
    assert is_valid_key(key) is valid


@pytest.mark.parametrize(
    "pasted",
    [
        *("sk-abc", " sk-abc\n", '"sk-abc"', "'sk-abc'\r\n", "“sk-abc”", "\ufeffsk-abc"),
        *("Bearer sk-abc", '"Bearer sk-abc"', "Authorization: Bearer sk-abc", "x-api-key: sk-abc"),
    ],
)
def test_what_stands_around_a_key_is_dropped(pasted: str) -> None:
    assert clean_key(pasted) == "sk-abc"
