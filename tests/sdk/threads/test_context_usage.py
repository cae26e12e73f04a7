"""What fills a window, of threads that a real server has answered."""

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from provider import Provider

from maxagent import Runner
from maxagent.sdk.threads.context_usage import measure_context

LONG = {"name": "read_file", "args": {"path": "long.txt"}}
LOOKS = {"name": "list_files", "args": {}}
REPORTED = {
    "prompt_tokens": 19_000,
    "completion_tokens": 10,
    "total_tokens": 19_010,
    "prompt_tokens_details": {"cached_tokens": 9_500},
}


@pytest.fixture
async def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Runner]:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    (tmp_path / "project").mkdir()
    (tmp_path / "project" / "long.txt").write_text("a line\n" * 900)
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


async def chat(runner: Runner, provider: Provider, folder: Path) -> str:
    provider.script(
        [
            {"thinking": "Hm, so be it. " * 50, "tool_calls": [LONG, LOOKS]},
            {"text": "Seen.", "usage": REPORTED},
        ]
    )
    options: Any = {"model": "openai/served", "base_url": provider.url, "mode": "auto"}
    thread = ""
    async for event in runner.chat("count to 3000", folder=folder, options=options):
        thread = getattr(event, "thread_id", thread)
    return thread


async def test_parts_add_up_to_what_was_reported(
    runner: Runner, provider: Provider, tmp_path: Path
) -> None:
    thread = await chat(runner, provider, tmp_path / "project")
    usage = await measure_context(runner, thread)
    assert (usage.conversation, usage.model) == ("chat", "openai/served")
    assert (usage.used, usage.is_reported, usage.cached) == (19_010, True, 0.5)
    assert sum(usage.parts.values()) == pytest.approx(usage.used, abs=len(usage.parts))
    assert {kind for kind, tokens in usage.parts.items() if tokens} >= {
        "system", "tools", "user", "answers", "thinking", "results",
    }  # fmt: skip
    assert [*usage.results] == ["read_file", "list_files"]
    assert usage.free == usage.window - usage.used and not usage.is_cut


@pytest.mark.parametrize(("auto_compact", "limit"), [("true", 108_800), ("false", 0)])
async def test_limit_is_that_of_compaction(
    auto_compact: str, limit: int, runner: Runner, provider: Provider, tmp_path: Path
) -> None:
    (runner.home / "config.yaml").write_text(f"context: {{auto_compact: {auto_compact}}}\n")
    thread = await chat(runner, provider, tmp_path / "project")
    assert (await measure_context(runner, thread)).limit == limit
