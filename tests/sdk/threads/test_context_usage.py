"""What fills a window, of threads that a real server has answered."""

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from confinement import UNASKED
from provider import Provider

from maxagent import Runner
from maxagent.config.settings.schema import ContextSection, Settings
from maxagent.models.resolver import resolve
from maxagent.sdk.threads.context_usage import compute_limit, measure_context

LONG = {"name": "run_command", "args": {"command": "seq 1 3000"}}
LOOKS = {"name": "list_files", "args": {}}


@pytest.fixture
async def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Runner]:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    (tmp_path / "project").mkdir()
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


async def chat(runner: Runner, provider: Provider, folder: Path, **usage: Any) -> str:
    provider.script(
        [
            {"thinking": "Hm, so be it. " * 50, "tool_calls": [LONG, LOOKS]},
            {"text": "Seen.", **usage},
        ]
    )
    options: Any = {"model": "openai/served", "base_url": provider.url, "mode": "auto",
                    **UNASKED}  # fmt: skip
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
    assert [*usage.results] == ["run_command", "list_files"]
    assert usage.free == usage.window - usage.used and not usage.is_cut


@pytest.mark.parametrize(
    ("window", "settings", "limit"),
    [
        (100_000, ContextSection(), 85_000),
        (1_000_000, ContextSection(), 200_000),
        (20_000, ContextSection(), 15_200),
        (100_000, ContextSection(auto_compact=False), 0),
    ],
)
def test_limit_is_the_smallest(window: int, settings: ContextSection, limit: int) -> None:
    model = replace(
        resolve(Settings(), {"OPENAI_API_KEY": "k"}, "openai/m"),
        context_length=window,
        max_tokens=8_000,
    )
    assert compute_limit(model, settings) == limit
