"""What ends a conversation by lines besides their end; the rest is in `tests/e2e`."""

import asyncio
import json
import os
import signal
from collections.abc import AsyncGenerator
from contextlib import aclosing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from provider import Provider

from maxagent import Runner
from maxagent.cli.execution.cancellation import CancellableStream
from maxagent.cli.execution.chat_session import ChatSession
from maxagent.cli.execution.stream_json import (
    AnswerLine,
    InterruptLine,
    ResumeLine,
    SteerLine,
    TurnLoop,
    UserLine,
    parse_line,
)
from maxagent.cli.rendering.renderer import JsonRenderer
from maxagent.config.errors import UsageError
from maxagent.nodes.options import Options
from maxagent.sdk.events import Completion, Event, Output
from maxagent.sdk.interrupt_response import Answer


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
    events, written = os.pipe()
    with open(events) as stdin, open(written, "w") as program:
        monkeypatch.setattr("sys.stdin", stdin)
        print('{"type": "user", "text": "do it"}', file=program, flush=True)
        options: Options = {"model": "openai/served", "base_url": provider.url}
        async with Runner(home=tmp_path / "home") as runner, asyncio.timeout(60):
            watch = CancellableStream(runner, JsonRenderer(every_event=True))
            last = await TurnLoop(Impatient(tmp_path, options), runner, watch).run()
    assert isinstance(last, Completion) and last.summary == "Done."


@pytest.mark.parametrize(
    ("line", "output"),
    [
        ('{"type": "user", "text": "你好"}', UserLine(type="user", text="你好")),
        ('{"type":"user","text":"","abandon":true}', UserLine(type="user", text="", abandon=True)),
        ('{"type": "steer", "text": "b"}', SteerLine(type="steer", text="b")),
        ('{"type": "resume"}', ResumeLine(type="resume")),
        (' {"type": "interrupt"} ', InterruptLine(type="interrupt")),
        ("", None),
        ("  \t\r", None),
    ],
)
def test_a_line_is_read(line: str, output: object) -> None:
    assert parse_line(line.encode(), 1) == output


@pytest.mark.parametrize(
    ("fields", "answer"),
    [
        ({"approve": True}, Answer(approve=True, decisions=[])),
        (
            {"reject": "", "question": "a" * 32},
            Answer(reject="", decisions=[], question="a" * 32),
        ),
        ({"approve": True, "question": "a" * 8}, Answer(True, decisions=[], parked="a" * 8)),
        ({"text": "two"}, Answer(text="two", decisions=[])),
        ({"decisions": [{"type": "approve"}]}, Answer(decisions=[{"type": "approve"}])),
    ],
)
def test_an_answer_is_that_of_the_sdk(fields: dict[str, object], answer: Answer) -> None:
    line = parse_line(json.dumps({"type": "answer", **fields}).encode(), 1)
    assert isinstance(line, AnswerLine) and line.answer == answer


@pytest.mark.parametrize(
    ("line", "text"),
    [
        (b"hi", "line 7 of stdin: Invalid JSON"),
        (b'{"type": "user", "text": "hi"', "line 7 of stdin: Invalid JSON"),
        (b'{"text": "hi"}', "Unable to extract tag"),
        (b'{"type": "say"}', "'user', 'steer', 'answer', 'resume', 'interrupt'"),
        (b'{"type": "user"}', "`text`: Field required"),
        (b'{"type": "user", "text": 1}', "`text`: Input should be a valid string"),
        (b'{"type": "user", "text": "hi", "txet": ""}', "`txet`: Extra inputs"),
        (b'{"type": "answer", "approve": "yes"}', "`approve`: Input should be a valid boolean"),
        (b'{"type": "user", "text": "\xff"}', "Invalid JSON"),
        (b'{"type": "user", "text": "\\ud800"}', "Invalid JSON"),
        (b"[" * 100_000, "recursion limit exceeded"),
    ],
)
def test_a_wrong_line_is_reported_by_its_number(line: bytes, text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_line(line, 7)
    assert caught.value.message.startswith("line 7 of stdin: ") and text in caught.value.message


@given(st.binary())
def test_whatever_comes_is_a_line_or_wrong_input(line: bytes) -> None:
    try:
        parse_line(line, 1)
    except UsageError as error:
        assert error.hint
