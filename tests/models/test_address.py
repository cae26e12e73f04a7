import pytest

from maxagent.models.address import join_address, show_address, trim_base_url

AZURE = "https://me.openai.azure.com/openai"


@pytest.mark.parametrize(
    ("pasted", "base_url"),
    [
        ("https://api.example/v1", "https://api.example/v1"),
        ("https://api.example/v1/", "https://api.example/v1"),
        ("https://api.example/v1/chat/completions", "https://api.example/v1"),
        ("https://api.example/v1/chat/completions/", "https://api.example/v1"),
        ("https://api.example/v1/responses", "https://api.example/v1"),
        ("https://api.example/v1/messages", "https://api.example/v1"),
        ("https://api.example/v1/models", "https://api.example/v1"),
        ("https://api.example/v1/completions", "https://api.example/v1"),
        ("https://me.services.ai.azure.com/models", "https://me.services.ai.azure.com/models"),
        (f"{AZURE}/v1?api-version=preview", f"{AZURE}/v1?api-version=preview"),
        (f"{AZURE}/v1/?api-version=preview", f"{AZURE}/v1?api-version=preview"),
        (
            f"{AZURE}/deployments/d/chat/completions?api-version=2024-10-21",
            f"{AZURE}/deployments/d?api-version=2024-10-21",
        ),
        ("http://127.0.0.1:11434", "http://127.0.0.1:11434"),
        (" http://[::1]:8080/v1 ", "http://[::1]:8080/v1"),
    ],
)
def test_known_end_is_cut_and_query_stays(pasted: str, base_url: str) -> None:
    assert trim_base_url(pasted) == base_url


@pytest.mark.parametrize(
    ("base_url", "address"),
    [
        ("https://a.example/v1", "https://a.example/v1/chat/completions"),
        ("https://a.example", "https://a.example/chat/completions"),
        (f"{AZURE}/v1?api-version=1", f"{AZURE}/v1/chat/completions?api-version=1"),
        ("https://a.example/?key=x&b=2", "https://a.example/chat/completions?key=x&b=2"),
        ("https://a.example/v1?", "https://a.example/v1/chat/completions"),
    ],
)
def test_path_comes_before_the_query(base_url: str, address: str) -> None:
    assert join_address(base_url, "/chat/completions") == address


def test_shown_address_has_no_secrets() -> None:
    output = show_address("https://me:word@a.example:8443/v1/x?key=secret#y")
    assert output == "https://a.example:8443/v1/x"
