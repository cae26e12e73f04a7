"""One endpoint over HTTP, against a real server."""

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any

import pytest
from langchain_core.messages import AIMessageChunk
from provider import Provider

from maxagent import __version__
from maxagent.models.chat_completions.dialect import ChatCompletionsDialect
from maxagent.models.errors import (
    BrokenStreamError,
    InvalidRequestError,
    ModelCallError,
    ModelNotFoundError,
    ProviderFaultError,
    RateLimitError,
)
from maxagent.models.http import client as connection_module
from maxagent.models.http.client import EndpointClient
from maxagent.models.providers import load_providers
from maxagent.models.resolver import ResolvedModel

Connect = Callable[..., EndpointClient]
REQUEST = b'{"messages":[]}'


def resolved(url: str, key: str = "sk-testkey-123") -> ResolvedModel:
    return ResolvedModel(load_providers()["openai"], "m", url, key)


@pytest.fixture
async def connect(provider: Provider) -> AsyncIterator[Connect]:
    opened: list[EndpointClient] = []

    def make(
        url: str = "", read_seconds: float = 10, key: str = "sk-testkey-123"
    ) -> EndpointClient:
        target = replace(resolved(url or provider.url, key), read_seconds=read_seconds)
        opened.append(EndpointClient(target, ChatCompletionsDialect(target)))
        return opened[-1]

    yield make
    for each in opened:
        await each.close()


async def ask(connection: EndpointClient) -> AIMessageChunk:
    chunks = [chunk async for chunk in connection.stream_answer(REQUEST)]
    return chunks[0] + chunks[1:]


@pytest.mark.parametrize("streamed", [True, False])
async def test_an_answer_comes_streamed_or_whole(
    provider: Provider, connect: Connect, streamed: bool
) -> None:
    provider.script([{"text": "Hello", "streamed": streamed}])
    answer = await ask(connect())
    assert (answer.content, answer.chunk_position) == ("Hello", "last")


async def test_the_request_says_who_asks(provider: Provider, connect: Connect) -> None:
    provider.script([{"text": "x"}])
    await ask(connect())
    request = provider.requests[0]
    assert (request.path, request.raw) == ("/v1/chat/completions", REQUEST)
    assert request.headers["User-Agent"] == f"maxagent/{__version__}"
    assert request.headers["Authorization"] == "Bearer sk-testkey-123"


async def test_without_a_key_nothing_is_sent_as_one(provider: Provider, connect: Connect) -> None:
    provider.script([{"text": "x"}])
    await ask(connect(key=""))
    assert "Authorization" not in provider.requests[0].headers


async def test_one_connection_serves_many_requests(provider: Provider, connect: Connect) -> None:
    provider.script([{"text": "x"}] * 3)
    connection = connect()
    for _ in range(3):
        await ask(connection)
    assert provider.connections == 1


async def test_a_closed_connection_opens_again(provider: Provider, connect: Connect) -> None:
    provider.script([{"text": "x"}] * 2)
    connection = connect()
    await ask(connection)
    await connection.close()
    assert (await ask(connection)).content == "x"


REFUSED: list[tuple[dict[str, Any], type[ModelCallError], str]] = [
    ({"status": 429, "headers": {"Retry-After": "7"}, "body": "slow"}, RateLimitError, "429: slow"),
    ({"status": 500, "body": "<title>Oops</title>"}, ProviderFaultError, "500: Oops"),
    ({"status": 404, "body": {"error": {"message": "no `m`"}}}, ModelNotFoundError, "no `m`"),
    ({"status": 302, "headers": {"Location": "/"}}, InvalidRequestError, "302"),
    ({"text": "a long text", "portion": 2, "cut_after": 3}, BrokenStreamError, "broke off"),
    ({"text": "a long text", "finish_reason": None, "usage": {}}, BrokenStreamError,
     "without a finish reason"),
    (
        {"sse": ['data: {"error": {"message": "busy", "code": 503}}', ""]},
        ProviderFaultError,
        "busy",
    ),
    ({"status": 200, "headers": {"Content-Type": "text/html"}, "body": "<p>Sign in"},
     InvalidRequestError, "web page"),
    ({"status": 200, "headers": {"Content-Type": "application/json"}, "body": '{"error": "no"}'},
     ProviderFaultError, "no"),
    ({"status": 200, "headers": {"Content-Type": "text/plain"}, "body": "hello"},
     ProviderFaultError, "broke off: hello"),
    ({"status": 200, "headers": {"Content-Encoding": "gzip"}, "body": "no gzip"},
     BrokenStreamError, "broke off"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "kind", "text"), REFUSED)
async def test_every_way_to_fail_has_a_name(
    provider: Provider,
    connect: Connect,
    answer: dict[str, Any],
    kind: type[ModelCallError],
    text: str,
) -> None:
    provider.script([answer])
    with pytest.raises(kind) as caught:
        await ask(connect())
    assert text in caught.value.message
    assert caught.value.message.startswith("`m` at 127.0.0.1:")
    assert caught.value.hint


async def test_the_wish_to_wait_is_kept(provider: Provider, connect: Connect) -> None:
    provider.script([{"status": 503, "headers": {"Retry-After-Ms": "1500"}}])
    with pytest.raises(ProviderFaultError) as caught:
        await ask(connect())
    assert caught.value.retry_after == 1.5


async def test_text_before_broken_stream_is_passed_on(provider: Provider, connect: Connect) -> None:
    provider.script([{"text": "abcdef", "portion": 2, "cut_after": 3}])
    texts: list[object] = []
    with pytest.raises(BrokenStreamError):
        async for chunk in connect().stream_answer(REQUEST):
            texts.append(chunk.content)
    assert "".join(map(str, texts)) == "abcd"


@pytest.mark.parametrize("answer", [{"hang_after": 2, "text": "abc"}, {"wait": 60}])
async def test_silence_raises_retryable_error(
    provider: Provider, connect: Connect, answer: dict[str, Any]
) -> None:
    provider.script([answer])
    with pytest.raises(ProviderFaultError, match=r"was silent for 0\.2 s") as caught:
        await ask(connect(read_seconds=0.2))
    assert caught.value.retryable


EMPTY = 'data: {"choices": [{"index": 0, "delta": {"content": ""}}]}\n\n'
ALIVE: list[dict[str, Any]] = [
    {"text": "abc", "alive_after": 0},
    {"text": "abc", "alive_after": 2},
    {"text": "abc", "alive_after": 0, "alive": EMPTY},
    {"text": "abc", "alive_after": 0, "alive": "\n", "type": "application/json"},
]


@pytest.mark.parametrize("answer", ALIVE, ids=["comments", "later", "empty deltas", "blanks"])
async def test_keep_alives_are_silence(
    provider: Provider, connect: Connect, answer: dict[str, Any]
) -> None:
    provider.script([answer])
    async with asyncio.timeout(60):
        with pytest.raises(ProviderFaultError, match=r"was silent for 0\.3 s") as caught:
            await ask(connect(read_seconds=0.3))
    assert caught.value.retryable


async def test_content_renews_the_patience(provider: Provider, connect: Connect) -> None:
    provider.script([{"text": "a" * 75, "portion": 1, "pause": 0.02}])
    answer = await ask(connect(read_seconds=1.2))
    assert answer.content == "a" * 75, "1.5 s, and never silent"


async def test_keep_alives_after_answer_do_not_delay_it(
    provider: Provider, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "LATE_SECONDS", 0.1)
    provider.script([{"text": "abc", "portion": 3, "alive_after": 3}])
    async with asyncio.timeout(60):
        assert (await ask(connect())).content == "abc"


@pytest.mark.parametrize("kind", ["text/event-stream", "application/json"])
async def test_a_line_without_end_is_bounded(
    provider: Provider, connect: Connect, kind: str
) -> None:
    endless = {"text": "", "alive_after": 0, "alive": "x" * 1_000_000, "type": kind}
    provider.script([endless])
    with pytest.raises(BrokenStreamError, match="of over 8,000,000 bytes"):
        await ask(connect())


async def test_a_refusal_without_end_is_read_in_part(provider: Provider, connect: Connect) -> None:
    endless = {"text": "", "alive_after": 0, "alive": "busy " * 50_000, "status_code": 503}
    provider.script([endless])
    with pytest.raises(ProviderFaultError, match="503: busy"):
        await ask(connect())


async def test_a_complete_answer_needs_no_formal_end(
    provider: Provider, connect: Connect, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "LATE_SECONDS", 0.1)
    monkeypatch.setattr(connection_module, "DRAIN_SECONDS", 0.1)
    turn = {"text": "abc", "portion": 3}
    ends = [{"hang_after": 3}, {"hang_after": 5}, {"cut_after": 3}, {"cut_after": 4}]
    provider.script([{**turn, **end} for end in ends])
    connection = connect()
    for end in ends:
        assert (await ask(connection)).content == "abc", end


async def test_an_abandoned_answer_does_not_spoil_the_next(
    provider: Provider, connect: Connect
) -> None:
    provider.script([{"text": "abc", "hang_after": 2}, {"text": "next"}])
    connection = connect()
    first_piece = asyncio.Event()

    async def abandoned() -> None:
        async for _ in connection.stream_answer(REQUEST):
            first_piece.set()

    task = asyncio.create_task(abandoned())
    await first_piece.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (await ask(connection)).content == "next"


async def test_a_server_that_is_not_there(connect: Connect) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{unused.getsockname()[1]}/v1"
        with pytest.raises(ProviderFaultError, match="could not be reached") as caught:
            await ask(connect(url=url))
    assert caught.value.retryable and "runs" in caught.value.hint


async def test_the_key_is_in_no_message(provider: Provider, connect: Connect) -> None:
    provider.script([{"status": 401, "body": "bad key sk-testkey-123"}])
    with pytest.raises(ModelCallError) as caught:
        await ask(connect())
    assert "testkey" not in caught.value.message + caught.value.hint


async def test_headers_of_the_row_go_over_any_protocol(provider: Provider) -> None:
    target = resolved(provider.url)
    target = replace(target, provider=replace(target.provider, headers={"X-Row": "1"}))
    provider.script([{"text": "x"}])
    connection = EndpointClient(target, ChatCompletionsDialect(target))
    await ask(connection)
    await connection.close()
    assert provider.requests[0].headers["X-Row"] == "1"
