"""What ends a conversation by lines besides their end; the rest is in `tests/e2e`."""

import asyncio
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import pytest
from provider import Provider

from maxagent import Runner
from maxagent.cli.execution.cancellation import CancellableStream
from maxagent.cli.execution.chat_session import ChatSession
from maxagent.cli.execution.stream_json import TurnLoop
from maxagent.cli.rendering.renderer import JsonRenderer
from maxagent.nodes.options import Options
from maxagent.sdk.events import Completion, Event, Output


class Impatient(ChatSession):
    """Presses Ctrl-C while the answer comes."""

    async def send_message(
        self,
        runner: Runner,
        text: str,
        *,
        agent: str = "",
        once: Options | None = None,
        abandon: bool = False,
    ) -> AsyncGenerator[Event]:
        async with aclosing(super().send_message(runner, text)) as events:
            async for event in events:
                yield event
                if isinstance(event, Output):
                    signal.raise_signal(signal.SIGINT)


async def test_ctrl_c_in_last_step_ends_open_stdin(
    tmp_path: Path, provider: Provider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-a-real-key")
    provider.script([{"text": "Done."}])
    heard, written = os.pipe()
    with open(heard) as stdin, open(written, "w") as program:
        monkeypatch.setattr("sys.stdin", stdin)
        print('{"type": "user", "text": "do it"}', file=program, flush=True)
        options: Options = {"model": "openai/served", "base_url": provider.url}
        async with Runner(home=tmp_path / "home") as runner, asyncio.timeout(60):
            watch = CancellableStream(runner, JsonRenderer(every_event=True))
            last = await TurnLoop(Impatient(tmp_path, options), runner, watch).run()
    assert isinstance(last, Completion) and last.summary == "Done."
