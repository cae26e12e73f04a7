"""Which providers are offered for a key or a login."""

from io import StringIO

import pytest
from rich.console import Console

from maxagent.cli.prompts.credential_input import (
    ProviderChoice,
    find_choice,
    list_choices,
    list_offers,
    recognize_address,
)
from maxagent.models.auth.key_shapes import list_candidates
from maxagent.models.providers import get_provider


def test_servers_and_the_environment_come_first() -> None:
    offers = list_offers({"GROQ_API_KEY": "k"}, [get_provider("ollama")])
    names = [each.name for each in offers]
    assert names[:3] == ["ollama", "groq", "openai"] and names[-1] == "copilot"
    assert len(names) == len(set(names)) and "lmstudio" not in names and "scripted" not in names


@pytest.mark.parametrize(
    ("columns", "openai", "minimax"),
    [
        (
            120,
            "platform.openai.com/api-keys",
            "platform.minimax.io/user-center/basic-information/interface-key",
        ),
        (80, "platform.openai.com/api-keys", "platform.minimax.io"),
        (50, "platform.openai.com", "platform.minimax.io"),
        (48, "platform.openai.com", "platform.minimax.io"),
        (40, "", ""),
    ],
)
def test_each_row_has_the_page_of_keys(columns: int, openai: str, minimax: str) -> None:
    console = Console(file=StringIO(), width=columns)
    offers = [get_provider(name) for name in ("openai", "minimax", "kimi")]
    rows = {each.word: each.note for each in list_choices(console, offers)}
    assert (rows["openai"], rows["minimax"]) == (openai, minimax)


def test_every_provider_of_the_list_has_a_page() -> None:
    without = {each.name for each in list_offers({}) if not (each.key_page or each.login)}
    assert without == {"litellm"}  # a proxy of one's own


@pytest.mark.parametrize("key", ["sk-0123456789", "0123456789"])
def test_one_digit_chooses_among_candidates(key: str) -> None:
    names = list_candidates(key)
    assert 1 < len(names) <= 9 and all(get_provider(name).key_variables for name in names)


@pytest.mark.parametrize(
    ("typed", "address"),
    [
        ("http://127.0.0.1:8777/v1", "http://127.0.0.1:8777/v1"),
        ("'https://gateway.example.com/v1/chat/completions'", "https://gateway.example.com/v1"),
        ("localhost:8000", "http://localhost:8000"),
        ("10.0.0.7:11434/v1", "http://10.0.0.7:11434/v1"),
        ("models.office.lan:8000/v1", "http://models.office.lan:8000/v1"),
        ("HTTPS://host.example/api", "https://host.example/api"),
        ("https://", ""),
        ("deepseek", ""),
        ("sk-0a1b0a1b0a1b0a1b0a1b", ""),
        ("0123456789abcdef0123456789abcdef.ABCDEFabcdef0123", ""),
        ("Bearer sk-ant-0123456789012345678901", ""),
    ],
)
def test_an_address_is_no_key(typed: str, address: str) -> None:
    assert recognize_address(typed) == address


@pytest.mark.parametrize(
    ("address", "provider"),
    [
        ("https://api.deepseek.com/v1", "deepseek"),
        ("https://api.openai.com/v1", "openai"),
        ("https://openrouter.ai/api/v1", "openrouter"),
        ("https://api.groq.com/openai/v1", "groq"),
        ("https://gateway.example.com/v1", "litellm"),
        ("http://127.0.0.1:8777/v1", "litellm"),
    ],
)
def test_a_providers_address_names_the_provider(address: str, provider: str) -> None:
    expected = ProviderChoice(provider, "", address if provider == "litellm" else "")
    assert find_choice(address) == expected
