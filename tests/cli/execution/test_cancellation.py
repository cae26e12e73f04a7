"""The time limit of a run: its step may finish, for a while; then it is stopped at once."""

import json
import signal
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing
from pathlib import Path

import pytest
from passing_time import pass_time
from provider import Provider

from maxagent import Runner
from maxagent.cli.execution import cancellation as watching
from maxagent.cli.execution.cancellation import CancellableStream
from maxagent.cli.rendering.renderer import JsonRenderer
from maxagent.sdk.events import Completion, Event, Interrupted, Output, Question, RunStarted
from maxagent.sdk.threads.transcript import read_transcript

LOOKS = {"tool_calls": [{"name": "list_files", "args": {}}]}


@pytest.fixture
async def runner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Runner]:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    (tmp_path / "project").mkdir()
    async with Runner(home=tmp_path / "home") as opened:
        yield opened


def watch(runner: Runner, seconds: float) -> CancellableStream:
    return CancellableStream(runner, JsonRenderer(every_event=True), seconds)


def said(runner: Runner, tmp_path: Path, provider: Provider):
    options = {"model": "openai/served", "base_url": provider.url}
    return runner.chat("look", folder=tmp_path / "project", options=options)


@pytest.fixture
def passing(monkeypatch: pytest.MonkeyPatch):
    """A stream; with each of its events of this kind so many seconds pass."""

    async def later(
        events: AsyncGenerator[Event], kind: type[Event], seconds: float
    ) -> AsyncGenerator[Event]:
        async with aclosing(events):
            async for event in events:
                if isinstance(event, kind):
                    pass_time(monkeypatch, seconds)
                yield event

    return later


async def test_timeout_finishes_current_step_and_starts_none(
    runner: Runner, tmp_path: Path, provider: Provider
) -> None:
    provider.script([{**LOOKS, "wait": 1.5}, {"text": "Done."}])
    last = await watch(runner, 1.0).show_events(said(runner, tmp_path, provider))
    assert isinstance(last, Interrupted) and last.reason == "timeout"
    ended = await watch(runner, 0).show_events(runner.resume(last.thread_id))
    assert isinstance(ended, Completion) and len(provider.requests) == 2


async def test_step_over_grace_time_is_cancelled_and_shown(
    runner: Runner, tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str], passing,
) -> None:  # fmt: skip
    monkeypatch.setattr(watching, "GRACE", 0.1)
    provider.script([{"text": "Long words.", "hang_after": 2}, {"text": "Done."}])
    late = passing(said(runner, tmp_path, provider), Output, 60)
    last = await watch(runner, 60.0).show_events(late)
    assert isinstance(last, Interrupted) and last.reason == "timeout"
    documents = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert documents[-1] == {
        "type": "interrupted",
        "thread_id": last.thread_id,
        "reason": "timeout",
        "usage": {},
    }
    row = runner.threads.get(last.thread_id)
    [_, half] = read_transcript(row, runner.home)
    assert (row.status, half.kind, half.text) == ("limit", "interrupted", "Long words.")
    ended = await watch(runner, 0).show_events(runner.resume(last.thread_id))
    assert isinstance(ended, Completion) and ended.summary == "Done."


async def test_all_streams_together_have_the_time(
    runner: Runner, tmp_path: Path, provider: Provider, passing
) -> None:
    provider.script([{"text": "One."}, LOOKS, {"text": "Two."}])
    limited = watch(runner, 600.0)
    first = await limited.show_events(passing(said(runner, tmp_path, provider), RunStarted, 400))
    assert isinstance(first, Completion)
    last = await limited.show_events(passing(runner.say(first.thread_id, "more"), RunStarted, 202))
    assert isinstance(last, Interrupted) and last.reason == "timeout"


async def test_run_ending_in_time_is_not_stopped_later(
    runner: Runner, tmp_path: Path, provider: Provider
) -> None:
    provider.script([{"text": "One."}, {"text": "Two."}])
    limited = watch(runner, 60.0)
    first = await limited.show_events(said(runner, tmp_path, provider))
    assert isinstance(first, Completion) and not runner.is_stopping()
    limited.stop_at_once()  # nothing is shown by now
    assert isinstance(await limited.show_events(runner.say(first.thread_id, "more")), Completion)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_signal_at_end_of_stream_is_received(
    runner: Runner, number: signal.Signals, capsys: pytest.CaptureFixture[str]
) -> None:
    async def asks() -> AsyncGenerator[Event]:
        yield Question("t", "1", "approval", [], [])
        signal.raise_signal(number)

    watching = watch(runner, 0)
    assert isinstance(await watching.show_events(asks()), Question)
    assert runner.is_stopping() and watching.was_stopped, "so nobody waits for an answer"
    assert "stopping" in capsys.readouterr().err
