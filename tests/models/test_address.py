import pytest

from maxagent.models.address import is_address_of, join_address, show_address, trim_base_url

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
        ("https://api.example/v1/CHAT/Completions", "https://api.example/v1"),
        ("https://api.example/v1/embeddings", "https://api.example/v1"),
        ("https://api.example/v1#list", "https://api.example/v1"),
        ('"https://api.example/v1"', "https://api.example/v1"),
        ("'https://api.example/v1/'\n", "https://api.example/v1"),
        ("“https://api.example/v1”", "https://api.example/v1"),
        ("<https://api.example/v1>\r", "https://api.example/v1"),
        ("\ufeff`https://api.example/v1/chat/completions` ", "https://api.example/v1"),
        ("\"'https://api.example/v1'\"", "https://api.example/v1"),
        ("HTTPS://api.example/v1", "https://api.example/v1"),
        ("api.example/v1", "https://api.example/v1"),
        ("api.example:8443/v1/responses", "https://api.example:8443/v1"),
        ("localhost/v1", "http://localhost/v1"),
        ("localhost:11434", "http://localhost:11434"),
        ("ollama:11434/v1", "http://ollama:11434/v1"),
        ("127.0.0.1:8000/v1", "http://127.0.0.1:8000/v1"),
        ("192.168.1.5:1234/v1", "http://192.168.1.5:1234/v1"),
        ("[::1]:8080/v1", "http://[::1]:8080/v1"),
        ("gpu.lan/v1", "http://gpu.lan/v1"),
        ("8.8.8.8/v1", "https://8.8.8.8/v1"),
    ],
)
def test_known_end_is_cut_and_query_stays(pasted: str, base_url: str) -> None:
    assert trim_base_url(pasted) == base_url


@pytest.mark.parametrize(
    "pasted",
    [
        *("", "here", "here/v1", "ftp://api.example/v1", "https:/api.example/v1", "https//a.b/v1"),
        *("https://", "https://:8080/v1", "https://a.example:0/v1", "https://a.example:x/v1"),
        *("https://a.example /v1", "a.example v1", "sk-abc123", "user@a.example/v1", "/v1"),
        *('"https://a.example', "https://[::1/v1", "OPENAI_BASE_URL=https://a.example/v1"),
    ],
)
def test_what_is_no_address_is_refused(pasted: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011
        trim_base_url(pasted)
    assert not is_address_of(pasted, "https://a.example/v1")


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
