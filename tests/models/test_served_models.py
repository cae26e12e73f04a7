"""Which models a server has, over real HTTP."""

import socket

import pytest
from provider import Provider

from maxagent.config.errors import UsageError
from maxagent.config.settings.schema import Settings
from maxagent.models.errors import AuthenticationError, InvalidRequestError, ProviderFaultError
from maxagent.models.resolver import ResolvedModel, resolve
from maxagent.models.served_models import (
    build_list_url,
    find_local_servers,
    find_served_model,
    has_models,
    list_chat_models,
    list_served_models,
    parse_names,
)

NOWHERE = "http://127.0.0.1:9"
LOCAL = ("OLLAMA", "LMSTUDIO", "VLLM", "LLAMACPP")


def at(url: str, name: str = "ollama", **environ: str) -> ResolvedModel:
    return resolve(Settings(), {f"{name.upper()}_BASE_URL": url, **environ}, name)


def serve(provider: Provider, *names: str) -> None:
    rows = [{"id": name} for name in names]
    provider.script([{"status": 200, "body": {"object": "list", "data": rows}}])


async def test_first_model_that_chats_is_taken(provider: Provider) -> None:
    serve(provider, "nomic-embed-text", "bge-m3", "gpt-image-1", "qwen3:8b", "llama3.2")
    assert await find_served_model(at(provider.url)) == "ollama/qwen3:8b"
    assert [request.path for request in provider.requests] == ["/v1/models"]


async def test_key_is_sent_as_the_provider_wants_it(provider: Provider) -> None:
    serve(provider, "m")
    assert await list_served_models(at(provider.url, OLLAMA_API_KEY="sk-own")) == ["m"]
    assert provider.requests[0].headers["Authorization"] == "Bearer sk-own"


async def test_server_without_models_names_the_setting(provider: Provider) -> None:
    serve(provider, "nomic-embed-text")
    with pytest.raises(UsageError, match="has no model") as caught:
        await find_served_model(at(provider.url))
    assert "set `model.default` to `ollama/MODEL`" in caught.value.hint


async def test_stopped_server_is_named_with_its_start_command() -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(
        ProviderFaultError, match=f"127.0.0.1:{port} could not be reached"
    ) as caught:
        await list_served_models(at(f"http://127.0.0.1:{port}/v1"))
    assert "Does ollama run? Start it with `ollama serve`" in caught.value.hint
    assert "`OLLAMA_BASE_URL`" in caught.value.hint


async def test_refusal_and_nonsense_are_explained(provider: Provider) -> None:
    provider.script([{"status": 401, "body": "no"}, {"status": 200, "body": "<html>"}])
    with pytest.raises(AuthenticationError):
        await list_served_models(at(provider.url))
    with pytest.raises(InvalidRequestError, match="no list of its models"):
        await list_served_models(at(provider.url))


@pytest.mark.parametrize(
    ("base_url", "url"),
    [
        ("http://localhost:4000", "http://localhost:4000/v1/models"),
        ("http://localhost:11434/v1", "http://localhost:11434/v1/models"),
        ("https://host/v1beta/openai", "https://host/v1beta/openai/models"),
    ],
)
def test_list_stands_beside_the_other_addresses(base_url: str, url: str) -> None:
    assert build_list_url(base_url) == url


@pytest.mark.parametrize(
    ("document", "names"),
    [
        ('{"data": [{"id": "a"}, {"id": ""}, {}, 3]}', ["a"]),
        ('[{"id": "a"}]', ["a"]),
        ('{"models": [{"id": "models/gemini-2.5-pro"}]}', ["gemini-2.5-pro"]),
        ('{"data": []}', []),
    ],
)
def test_names_are_read_from_any_list(document: str, names: list[str]) -> None:
    assert parse_names(document) == names


@pytest.mark.parametrize("document", ["", "{}", '{"data": null}', "3"])
def test_other_documents_are_no_list(document: str) -> None:
    with pytest.raises(ValueError):
        parse_names(document)


async def test_chat_models_begin_with_default_and_catalogue(provider: Provider) -> None:
    serve(provider, "own-model", "text-embedding-3", "deepseek-reasoner", "deepseek-chat")
    names = await list_chat_models(at(provider.url, "deepseek", DEEPSEEK_API_KEY="k"))
    assert names == ["deepseek-chat", "deepseek-reasoner", "own-model"]


async def test_chat_models_of_a_silent_server_are_known_ones(provider: Provider) -> None:
    provider.script([{"status": 503, "body": "later"}])
    names = await list_chat_models(at(provider.url, "deepseek", DEEPSEEK_API_KEY="k"))
    assert names[0] == "deepseek-chat" and "deepseek-reasoner" in names


@pytest.mark.parametrize(
    ("answer", "result"),
    [
        ({"status": 200, "body": {"data": [{"id": "m"}]}}, True),
        ({"status": 200, "body": {"data": []}}, True),
        ({"status": 200, "body": "<html>"}, False),
        ({"status": 404, "body": []}, False),
        ({"reset": True}, False),
    ],
)
def test_a_server_with_models_is_found(
    provider: Provider, answer: dict[str, object], result: bool
) -> None:
    provider.script(lambda _: answer)
    environ = {f"{name}_BASE_URL": NOWHERE for name in LOCAL} | {"VLLM_BASE_URL": provider.url}
    assert [each.name for each in find_local_servers(environ)] == (["vllm"] if result else [])
    assert provider.requests[0].path == "/v1/models"


def test_an_odd_address_has_no_models() -> None:
    assert not has_models("http://[::1") and not has_models("http://127.0.0.1:x")
