import json
from pathlib import Path

import pytest
from provider import Provider

from maxagent import Runner
from maxagent.config.settings.schema import Endpoint, Settings
from maxagent.memory.threads import thread_id
from maxagent.memory.threads.index import ThreadIndex
from maxagent.models.resolver import ResolvedModel, resolve
from maxagent.sdk.threads import titles
from maxagent.sdk.threads.titles import generate_title, make_title


def served(provider: Provider) -> ResolvedModel:
    settings = Settings(litellm=Endpoint(provider="openai", base_url=provider.url, api_key="k" * 8))
    return resolve(settings, {}, "openai/served")


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Rounding of prices", "Rounding of prices"),
        ("\n  **Rounding of prices**\nbecause you asked", "Rounding of prices"),
        ("“修复登录的标题”。", "修复登录的标题"),
        ("a\x1b[2J\u202eb\tc", "a[2Jbc"),
        ("key sk-abcdefgh1234567890ijklmnop", "key [secret: API key]"),
        ("long " * 40, "long " * 11 + "long…"),
        ("***", ""),
        ("", ""),
        ("解释《道德经》", "解释《道德经》"),
        ("《道德经》", "道德经"),
        ("“重构”登录模块", "“重构”登录模块"),
        ("“重构”与“登录”", "“重构”与“登录”"),
        ("Fix a bug in C#", "Fix a bug in C#"),
        ("# Fix a bug in F#.", "Fix a bug in F#"),
        ("Fix C# code", "Fix C# code"),
        ("Explain `async`", "Explain `async`"),
        ("`Port to .NET`", "Port to .NET"),
        ('"**Prices**"', "Prices"),
        ('"Prices', "Prices"),
        (".env is read", ".env is read"),
    ],
)
async def test_a_title_is_one_clean_line(provider: Provider, text: str, title: str) -> None:
    provider.script([{"text": text}])
    assert await make_title(served(provider), "Prices are wrong", "They round.") == title


async def test_it_costs_one_short_request_without_tools(provider: Provider) -> None:
    provider.script([{"text": "Prices"}])
    await make_title(served(provider), "Prices are wrong " * 500, "They round. " * 500)
    (request,) = provider.requests
    assert "tools" not in request.body
    assert request.body.get("max_tokens", request.body.get("max_completion_tokens")) == 200
    assert len(request.raw) < 3_000


@pytest.mark.parametrize(
    "answer", [{"status": 500, "body": "no"}, {"status": 401, "body": "no"}, {}, {"reset": True}]
)
async def test_a_model_that_fails_leaves_no_title(provider: Provider, answer: dict) -> None:
    provider.script([answer])
    assert await make_title(served(provider), "Hello", "Hi") == ""
    assert len(provider.requests) == 1


async def test_a_model_that_hangs_is_not_waited_for(
    provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(titles, "TIMEOUT_SECONDS", 0.3)
    provider.script([{"text": "Prices", "hang_after": 1}])
    assert await make_title(served(provider), "Hello", "Hi") == ""


def begun(home: Path, *, graph: str = "chat", title: str = "Prices are wrong") -> str:
    """A conversation whose model plays `named` when it is asked for a title."""
    (home.parent / "p").mkdir(exist_ok=True)
    scenario = home.parent / "scenario.json"
    scenario.write_text(json.dumps({"title": [{"text": "Rounding"}]}))
    thread = thread_id.create_thread_id()
    ThreadIndex(home).record_thread(
        thread_id=thread,
        title=title,
        folder=str(home.parent / "p"),
        graph=graph,
        request="Prices are wrong\nsee cart.py",
        options={"model": f"scripted/{scenario}"},
    )
    return thread


async def test_conversation_is_titled_once_keeping_list_position(runner: Runner) -> None:
    thread = begun(runner.home)
    before = runner.threads.get(thread)
    assert (
        await generate_title(runner.threads, runner.open_dependencies, thread, "They round.")
        == "Rounding"
    )
    after = runner.threads.get(thread)
    assert (after.title, after.updated_at) == ("Rounding", before.updated_at)
    assert (
        await generate_title(runner.threads, runner.open_dependencies, thread, "They round.") == ""
    )


@pytest.mark.parametrize("more", [{"graph": "task"}, {"title": "Named before"}])
async def test_other_threads_keep_their_titles(runner: Runner, more: dict[str, str]) -> None:
    assert (
        await generate_title(
            runner.threads, runner.open_dependencies, begun(runner.home, **more), "They round."
        )
        == ""
    )


async def test_user_name_wins_over_generated_title(runner: Runner) -> None:
    thread, threads = begun(runner.home), runner.threads
    threads.rename(thread, "prices")
    assert (
        await generate_title(runner.threads, runner.open_dependencies, thread, "They round.") == ""
    )
    threads.set_title(thread, "Rounding")
    assert threads.get(thread).title == "Prices are wrong"


async def test_titles_can_be_switched_off(runner: Runner, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MAXAGENT_THREADS__TITLES", "false")
    assert (
        await generate_title(
            runner.threads, runner.open_dependencies, begun(runner.home), "They round."
        )
        == ""
    )


async def test_script_without_title_keeps_first_line(runner: Runner) -> None:
    thread = begun(runner.home)
    (runner.home.parent / "scenario.json").write_text('{"build": []}')
    assert (
        await generate_title(runner.threads, runner.open_dependencies, thread, "They round.") == ""
    )
