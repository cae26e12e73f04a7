"""The windows that services say, of real servers on this machine."""

import asyncio
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from github import TOKEN, GitHub
from provider import Answer, Provider, Request

from maxagent.config.settings.schema import CopilotSection, Settings
from maxagent.models.auth.copilot_login import CopilotLogin
from maxagent.models.auth.credentials import Credential, store_credential
from maxagent.models.http.learnt_limits import MAX_QUESTIONS, LearntLimits
from maxagent.models.resolver import ResolvedModel, resolve


def serve(provider: Provider, answers: Mapping[str, Any]) -> None:
    def answer(request: Request) -> Answer:
        if request.path not in answers:
            return {"status": 404, "body": "not here"}
        return {"status": 200, "body": answers[request.path]}

    provider.script(answer)


def choose(provider: Provider, name: str, settings: Settings | None = None) -> ResolvedModel:
    variable = name.partition("/")[0].upper() + "_BASE_URL"
    return resolve(settings or Settings(), {variable: provider.url}, name)


LOADED = {"id": "m", "max_context_length": 131_072, "loaded_context_length": 8_192}
UNLOADED = {"id": "m", "max_context_length": 131_072, "state": "not-loaded"}
RUNNING = {"name": "m", "context_length": 4_096}
SHOWN = {"parameters": 'stop "<|im_end|>"\nnum_ctx                        16384\n'}
TRAINED = {"model_info": {"qwen3.context_length": 40_960}, "parameters": "temperature 0.7"}


@pytest.mark.parametrize(
    ("name", "answers", "window"),
    [
        ("ollama/m", {"/api/ps": {"models": [RUNNING]}}, 4_096),
        (
            "ollama/m",
            {"/api/ps": {"models": [{"name": "m:latest", "context_length": 32_768}]}},
            32_768,
        ),
        ("ollama/m", {"/api/ps": {"models": []}, "/api/show": SHOWN}, 16_384),
        ("ollama/m", {"/api/ps": {"models": []}, "/api/show": TRAINED}, 0),
        ("ollama/m", {"/api/ps": {"models": [{"name": "other", "context_length": 4_096}]}}, 0),
        ("llamacpp/m", {"/props": {"default_generation_settings": {"n_ctx": 65_536}}}, 65_536),
        ("llamacpp/m", {"/props": {"n_ctx": 8_192}}, 8_192),
        ("lmstudio/m", {"/api/v0/models": {"data": [LOADED]}}, 8_192),
        (
            "lmstudio/m",
            {"/api/v0/models": {"data": [{**LOADED, "loaded_context_length": None}]}},
            0,
        ),
        ("vllm/m", {"/v1/models": {"data": [{"id": "m", "max_model_len": 32_768}]}}, 32_768),
        ("vllm/a/m", {"/v1/models": {"data": [{"id": "a/m", "max_model_len": "24576"}]}}, 24_576),
        ("vllm/m", {"/v1/models": {"data": [{"id": "m", "context_length": 20_000}]}}, 20_000),
        ("vllm/m", {"/v1/models": {"data": [{"id": "m", "max_model_len": 12}]}}, 0),
        ("vllm/m", {"/v1/models": {"data": "none"}}, 0),
        ("vllm/m", {"/v1/models": "<html>"}, 0),
        ("vllm/m", {"/v1/models": {"data": [{"id": "m", "max_model_len": 500_000}]}}, 0),
        ("vllm/m", {}, 0),
    ],
)
async def test_window_of_local_server_counts(
    name: str, answers: dict[str, Any], window: int, provider: Provider
) -> None:
    serve(provider, answers)
    model, limits = choose(provider, name), LearntLimits()
    await limits.ask_service(model)
    assert limits.find_limit(model) == window


async def test_loaded_model_is_asked_again(provider: Provider) -> None:
    serve(provider, {"/api/ps": {"models": []}})
    model, limits = choose(provider, "ollama/m"), LearntLimits()
    await limits.ask_service(model)
    serve(provider, {"/api/ps": {"models": [{"name": "m", "context_length": 4_096}]}})
    await limits.ask_service(model)
    asked = len(provider.requests)
    await limits.ask_service(model)
    assert limits.find_limit(model) == 4_096 and len(provider.requests) == asked


async def test_questions_end_without_an_answer(provider: Provider) -> None:
    serve(provider, {})
    model, limits = choose(provider, "vllm/m"), LearntLimits()
    for _ in range(MAX_QUESTIONS + 2):
        await limits.ask_service(model)
    assert len(provider.requests) == MAX_QUESTIONS


@pytest.mark.parametrize("answer", [{"reset": True}, {"wait": 30}])
async def test_silent_server_is_asked_once(answer: Answer, provider: Provider) -> None:
    provider.script(lambda _: answer)
    model, limits = choose(provider, "vllm/m"), LearntLimits()
    await asyncio.wait_for(limits.ask_service(model), 10)
    await limits.ask_service(model)
    assert limits.find_limit(model) == 0 and len(provider.requests) == 1


async def test_hosted_provider_is_never_asked(provider: Provider) -> None:
    model = resolve(
        Settings(), {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": provider.url}, "openai/m"
    )
    await LearntLimits().ask_service(model)
    assert provider.requests == []


async def test_new_window_of_server_counts_again(provider: Provider, tmp_path: Path) -> None:
    model, file = choose(provider, "vllm/m"), tmp_path / "limits"
    for window in (8_192, 32_768):
        serve(provider, {"/v1/models": {"data": [{"id": "m", "max_model_len": window}]}})
        await LearntLimits(file).ask_service(model)
        assert LearntLimits(file).find_limit(model) == window


@pytest.mark.parametrize(
    ("known", "limits", "window"),
    [
        (0, {"max_context_window_tokens": 128_000, "max_prompt_tokens": 64_000}, 64_000),
        (0, {"max_prompt_tokens": 90_000}, 90_000),
        (0, {}, 0),
        (30_000, {"max_prompt_tokens": 64_000}, 30_000),
    ],
)
async def test_copilot_is_asked_once(
    known: int, limits: dict[str, Any], window: int, tmp_path: Path
) -> None:
    with GitHub() as github:
        rows = [{"id": "gpt-4o", "capabilities": {"limits": limits}}]
        github.routes["/copilot/models"] = lambda _: {"status": 200, "body": {"data": rows}}
        settings = CopilotSection(host=github.host, api_host=github.host)
        login = CopilotLogin(tmp_path, settings)
        store_credential(tmp_path, "copilot", Credential(secret=TOKEN, host=github.host))
        environ = {"LLC_HOME": str(tmp_path), "MAXAGENT_HOME": str(tmp_path)}
        model = replace(resolve(Settings(), environ, "copilot/gpt-4o"), login=login)
        file = tmp_path / "limits"
        if known:
            file.write_text(f"{known} {model.context_length} {model.name} {model.host}\n")
        await LearntLimits(file).ask_service(model)
        asked = len(github.requests)
        assert LearntLimits(file).find_limit(model) == window and bool(asked) != bool(known)
        if window:
            await LearntLimits(file).ask_service(model)
            assert len(github.requests) == asked
