import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from langchain_core.messages import HumanMessage
from langchain_core.tracers.langchain import wait_for_all_tracers
from langsmith.utils import get_env_var
from provider import Provider

from maxagent import Runner
from maxagent.cli.execution.tool_session import ToolSession
from maxagent.config.settings.loader import load_settings
from maxagent.models.factory import open_model
from maxagent.models.resolver import resolve
from maxagent.sdk.threads.steps import find_step
from maxagent.sdk.threads.time_travel import fork, rewind_talk
from maxagent.sdk.threads.titles import make_title

CHAT = {"build": [{"text": "Hello."}], "title": [{"text": "A greeting"}]}


@pytest.fixture
def tracer(monkeypatch: pytest.MonkeyPatch) -> Iterator[Provider]:
    """Where the user's shell says that everything be reported to."""
    with Provider() as server:
        monkeypatch.setenv("LANGSMITH_TRACING", "true")
        monkeypatch.setenv("LANGSMITH_ENDPOINT", server.url)
        monkeypatch.setenv("LANGSMITH_API_KEY", "lsv2_of_the_test")
        get_env_var.cache_clear()
        yield server
    get_env_var.cache_clear()


async def test_no_thread_operation_is_traced(tracer: Provider, tmp_path: Path):
    scenario = tmp_path / "scenario.json"
    scenario.write_text(json.dumps(CHAT))
    options = {"model": f"scripted/{scenario}"}
    async with Runner(home=tmp_path / "home") as runner:
        run = [event async for event in runner.chat("Hi.", folder=tmp_path, options=options)]
        row = runner.threads.get(run[-1].thread_id)
    home = tmp_path / "home"
    step = find_step(row, home, 1)
    await fork(row, home, step, "Say more.")
    await rewind_talk(row, home, step)
    loaded = load_settings(tmp_path, home)
    model = resolve(loaded.settings, {}, options["model"])
    assert await make_title(model, "Hi.", "Hello.") == "A greeting"
    tools = ToolSession(tmp_path, loaded, tmp_path / "outputs")
    assert (await tools.call_tool("read_file", {"path": scenario.name}, _nobody)).exit_code == 0
    await asyncio.to_thread(wait_for_all_tracers)
    assert tracer.requests == []
    await open_model(model, role="build").ainvoke([HumanMessage("Hi.")])  # it would have come
    await asyncio.to_thread(wait_for_all_tracers)
    assert tracer.requests


async def _nobody(*asked: object) -> None:
    return None
