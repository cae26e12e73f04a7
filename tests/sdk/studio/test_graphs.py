"""What a run of LangGraph's server holds; the server itself is in `tests/e2e`."""

import asyncio
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from maxagent.config import paths
from maxagent.config.errors import MaxAgentError
from maxagent.memory.threads.lease import find_holder
from maxagent.memory.threads.thread_id import create_thread_id
from maxagent.sdk.studio import graphs


async def test_lease_is_released_when_recording_end_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path))
    thread, database = create_thread_id(), paths.locate_database(tmp_path)
    runs: Any = SimpleNamespace(
        execution_runtime="of the server", access_context="threads.create_run"
    )
    with pytest.raises(MaxAgentError) as error:  # which is kept, with all that it came by
        async with graphs.chat({"configurable": {"thread_id": thread}}, runs):
            assert find_holder(tmp_path, thread)
            database.unlink()
            database.mkdir()
    assert error.value.message and find_holder(tmp_path, thread) is None


async def test_lease_is_released_when_its_request_is_cancelled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path))
    thread = create_thread_id()
    runs: Any = SimpleNamespace(
        execution_runtime="of the server", access_context="threads.create_run"
    )

    async def run() -> None:
        async with graphs.chat({"configurable": {"thread_id": thread}}, runs):
            await asyncio.Event().wait()

    errors = list[BaseException]()
    for steps in range(40):  # between two of them it acquires the lease
        task = asyncio.create_task(run())
        for _ in range(steps):
            await asyncio.sleep(0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as error:
            await task
        errors.append(error.value)  # kept, with all that it came by
        assert find_holder(tmp_path, thread) is None


async def test_dependencies_of_a_run_are_closed_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MAXAGENT_HOME", str(tmp_path / "home"))
    runs: Any = SimpleNamespace(
        execution_runtime="of the server", access_context="threads.create_run"
    )
    monkeypatch.setenv("OPENAI_API_KEY", "sk-any")
    options: Any = {"model": "openai/any"}
    async with graphs.task({"configurable": {"thread_id": create_thread_id()}}, runs) as graph:
        schema: Any = graph.context_schema
        context, again = schema(mode="ask"), schema()
        deps = await context.open_dependencies({"folder": str(tmp_path), "options": options})
        assert context.pool is again.pool and deps.policy.mode == "ask"
        assert not context.pool.is_empty
    assert context.pool.is_empty


async def test_client_cannot_name_the_pool_of_a_run(tmp_path: Path) -> None:
    runs: Any = SimpleNamespace(
        execution_runtime="of the server", access_context="threads.create_run"
    )
    async with graphs.task({}, runs) as graph:
        schema: Any = graph.context_schema
        assert set(graph.get_context_jsonschema()["properties"]) == {"mode", "model"}
        with pytest.raises(TypeError, match="pool"):
            schema(pool="mine")
