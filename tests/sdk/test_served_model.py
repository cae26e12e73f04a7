"""A thread whose model only the server can name."""

import pytest
from provider import Provider, Request

from maxagent import Runner
from maxagent.config.errors import MaxAgentError


def serve(provider: Provider, *models: str) -> None:
    def answer(request: Request):
        if request.path.endswith("/models"):
            return {"status": 200, "body": {"data": [{"id": name} for name in models]}}
        return {"text": "Hello"}

    provider.script(answer)


@pytest.fixture
def ollama(provider: Provider, monkeypatch: pytest.MonkeyPatch) -> Provider:
    monkeypatch.setenv("OLLAMA_BASE_URL", provider.url)
    monkeypatch.setenv("LLC_MODEL", "ollama")
    return provider


def count_lists(provider: Provider) -> int:
    return sum(request.path.endswith("/models") for request in provider.requests)


async def test_server_is_asked_once_for_a_thread(ollama: Provider, runner, project) -> None:
    serve(ollama, "qwen3:8b")
    events = [event async for event in runner.chat("hi", folder=project)]
    thread = events[-1].thread_id
    serve(ollama, "other", "qwen3:8b")
    async with Runner(home=runner.home) as another:
        events += [event async for event in another.say(thread, "again")]
    asked = [r.body["model"] for r in ollama.requests if r.path.endswith("/completions")]
    assert asked == ["qwen3:8b", "qwen3:8b"]
    assert count_lists(ollama) == 1
    assert [e.model for e in events if e.type == "run_started"] == ["ollama/qwen3:8b"] * 2


async def test_another_choice_asks_the_server_again(
    ollama: Provider, runner, project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LLC_MODEL", "ollama/first")
    serve(ollama, "second")
    events = [event async for event in runner.chat("hi", folder=project)]
    monkeypatch.setenv("LLC_MODEL", "ollama")
    events = [event async for event in runner.say(events[-1].thread_id, "hi")]
    assert next(e.model for e in events if e.type == "run_started") == "ollama/second"


async def test_server_without_model_leaves_no_thread(ollama: Provider, runner, project) -> None:
    serve(ollama)
    with pytest.raises(MaxAgentError, match="has no model"):
        [event async for event in runner.chat("hi", folder=project)]
    assert runner.threads.list() == []


@pytest.mark.parametrize(
    ("settings", "window"),
    [
        ("", 16_000),
        ("model:\n  temperature: 0.1\n", 16_000),
        ("model:\n  context_length: 50000\n", 50_000),
        ("model:\n  models:\n    vllm/m:\n      context_length: 60000\n", 60_000),
        ("model:\n  models:\n    m:\n      context_length: 12000\n", 12_000),
    ],
)
async def test_own_window_wins_over_servers(
    settings: str,
    window: int,
    provider: Provider,
    runner,
    project,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("VLLM_BASE_URL", provider.url)
    monkeypatch.setenv("LLC_MODEL", "vllm/m")
    rows = [{"id": "m", "max_model_len": 16_000}]

    def answer(request: Request):
        is_list = request.path.endswith("/models")
        return {"status": 200, "body": {"data": rows}} if is_list else {"text": "Hello"}

    provider.script(answer)
    runner.home.mkdir(exist_ok=True)
    (runner.home / "config.yaml").write_text(settings)
    events = [event async for event in runner.chat("hi", folder=project)]
    assert [e.context_length for e in events if e.type == "token_usage"] == [window]
    assert count_lists(provider) == (window == 16_000)
