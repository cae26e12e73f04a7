"""AG-UI 1.0: a run of a thread for front-ends that speak the protocol, by `POST /agui`.

Nothing is kept for a client. Its run is a thread's, which goes on without it: a client that comes
back without a new message is shown the conversation, and the run that goes on.
"""

import asyncio
import json
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any, NamedTuple, cast

from starlette.requests import Request
from starlette.responses import Response

from ...config.errors import MaxAgentError, ThreadBusyError, UsageError
from ...config.text import text
from ...memory.threads.record import ThreadRow
from ...memory.threads.thread_id import validate_thread_id
from ...sdk.streams.event_stream import HISTORY, StoredMessage, ThreadStream
from ...sdk.streams.thread_streams import ThreadStreams
from ...sdk.threads.open_questions import list_open_questions
from ..i18n.message_translation import translate
from .agui_events import Json, RunRenderer, is_end
from .agui_interrupts import build_interrupts, read_answers
from .api import Api
from .event_source import respond_with_stream
from .page_words import translate_message
from .request_body import read_object

# What `forwardedProps.mcode` can choose for a run
CHOICES = ("folder", "graph", "mode", "model")
# Threads of which the last message of their client is known
MAX_SENT = 1_000
_logger = logging.getLogger(__name__)


class RunInput(NamedTuple):
    """What a client asks for."""

    thread_id: str
    run_id: str
    messages: list[Json]
    state: Json
    resume: list[Any]
    context: list[str]
    has_tools: bool
    choices: Json


class AguiEndpoint:
    """Runs threads for clients of the protocol."""

    def __init__(self, api: Api, streams: ThreadStreams) -> None:
        self._api, self._streams = api, streams
        self._sent = dict[str, str]()
        """The last message that was sent to each thread: it may come again."""

    async def run(self, request: Request) -> Response:
        """Return the events of a run: of a message, of answers, or of what goes on."""
        job = read_input(await read_object(request))
        return respond_with_stream(self._encode(job))

    async def _encode(self, job: RunInput) -> AsyncGenerator[bytes]:
        renderer = RunRenderer(job.thread_id, job.run_id, job.messages, job.state)
        async with aclosing(self._follow(job, renderer)) as events:
            async for event in events:
                content = json.dumps(event, ensure_ascii=False, separators=(",", ":"))
                yield b"data: %s\n\n" % content.encode(errors="replace")

    async def _follow(self, job: RunInput, renderer: RunRenderer) -> AsyncGenerator[Json]:
        yield renderer.start()
        try:
            if job.has_tools:
                notice = translate("the tools of the client are not offered to the model")
                yield {"type": "CUSTOM", "name": "mcode:notice", "value": {"text": notice}}
            async with aclosing(self._stream_run(job, renderer)) as events:
                async for event in events:
                    yield event
        except MaxAgentError as error:
            yield renderer.fail(_describe(error.message, error.hint), _find_code(error))
        except Exception:
            _logger.exception("a run over AG-UI failed")
            yield renderer.fail(translate("the server failed"), "failed")

    async def _stream_run(self, job: RunInput, renderer: RunRenderer) -> AsyncGenerator[Json]:
        await self._streams.are_resumed.wait()  # a run that goes on is no run that was stopped
        row = await self._find(job.thread_id)
        begin = await self._choose(job, row, renderer)
        if row and begin is None and job.resume:  # all that was open is left as it is
            for event in renderer.finish({"type": "cancelled"}):
                yield event
            return
        stream = await self._streams.open(job.thread_id)
        async with aclosing(_follow_run(stream, begin)) as messages:
            async for stored in messages:
                message = json.loads(translate_message(stored).content)
                for event in renderer.render(message):
                    yield event
                if is_end(message):
                    async for event in self._finish(job, message, renderer):
                        yield event
                    return

    async def _choose(
        self, job: RunInput, row: ThreadRow | None, renderer: RunRenderer
    ) -> Callable[[], Awaitable[object]] | None:
        """Return what begins the run; None: the client only looks on. Raises UsageError."""
        questions = await asyncio.to_thread(list_open_questions, row, self._api.home) if row else []
        if row and job.resume:
            if pairs := read_answers(questions, job.resume):
                return lambda: self._api.give_answers(row, pairs)
            return None
        last = job.messages[-1] if job.messages else {}
        is_new = last.get("role") == "user" and self._sent.get(job.thread_id) != last["id"]
        if job.resume or not (row or is_new):
            raise UsageError("there is no such thread", hint="begin it with a message")
        if not is_new:
            return None
        if questions:
            raise UsageError(
                "the thread waits for answers", hint="send `resume` with an answer to each"
            )
        if self._streams.is_running(job.thread_id):
            raise ThreadBusyError("the thread runs already", hint="wait until it ends, or stop it")
        body = {**job.choices, "text": _read_content(last)}
        renderer.own_text = body["text"]
        return lambda: self._send(job, row, body, str(last["id"]))

    async def _send(self, job: RunInput, row: ThreadRow | None, body: Json, sent: str) -> None:
        if row:
            await self._api.say(row, body, job.context)
        else:
            await self._api.begin(job.thread_id, body, job.context)
        self._sent[job.thread_id] = sent
        while len(self._sent) > MAX_SENT:
            del self._sent[next(iter(self._sent))]

    async def _finish(
        self, job: RunInput, message: Mapping[str, Any], renderer: RunRenderer
    ) -> AsyncGenerator[Json]:
        kind, data = message["type"], message["data"]
        row = await self._find(job.thread_id)
        questions = await asyncio.to_thread(list_open_questions, row, self._api.home) if row else []
        if kind == "error":
            yield renderer.fail(_describe(data["message"], data["hint"]), "failed")
            return
        is_stopped = kind == "interrupted" or (
            kind == HISTORY and row is not None and row.status == "interrupted"
        )
        outcome: Json = {"type": "cancelled" if is_stopped else "success"}
        if questions:
            outcome = {"type": "interrupt", "interrupts": build_interrupts(questions)}
        names = ("outcome", "summary", "files", "pull_request")
        result = {name: data[name] for name in names if data.get(name)}
        for event in renderer.finish(outcome, result):
            yield event

    async def _find(self, thread_id: str) -> ThreadRow | None:
        return await asyncio.to_thread(self._streams.threads.find_row, thread_id)


async def _follow_run(
    stream: ThreadStream, begin: Callable[[], Awaitable[object]] | None
) -> AsyncGenerator[StoredMessage]:
    """Yield the messages from the begin of the run; without one those of the thread."""
    async with aclosing(stream.follow(None if begin else 0)) as messages:
        # a short run may end before `begin` returns: who follows already misses nothing
        upcoming = asyncio.ensure_future(anext(messages))
        try:
            if begin:
                await begin()
            yield await upcoming
        finally:
            upcoming.cancel()
            await asyncio.wait([upcoming])
        async for message in messages:
            yield message


def read_input(body: Mapping[str, Any]) -> RunInput:
    """Return what a client asks for; raises UsageError for what is no input of the protocol."""
    thread_id, run_id = body.get("threadId"), body.get("runId")
    if not isinstance(thread_id, str) or not isinstance(run_id, str) or not run_id:
        raise UsageError("`threadId` and `runId` must be texts")
    messages = _read_objects(body, "messages")
    for message in messages:
        if not isinstance(message.get("id"), str) or not isinstance(message.get("role"), str):
            raise UsageError("a message has no `id`, or no `role`")
        _read_objects(message, "toolCalls")
    state = body.get("state")
    return RunInput(
        validate_thread_id(thread_id),
        run_id,
        messages,
        cast("Json", state) if isinstance(state, dict) else {},
        _read_objects(body, "resume"),
        [
            f"{each.get('description')}: {each.get('value')}"
            for each in _read_objects(body, "context")
        ],
        bool(_read_objects(body, "tools")),
        _read_choices(body.get("forwardedProps")),
    )


def _read_objects(body: Mapping[str, Any], name: str) -> list[Json]:
    values = body.get(name)
    items = cast("list[Any]", values) if isinstance(values, list) else []
    if (values is not None and not isinstance(values, list)) or not all(
        isinstance(each, dict) for each in items
    ):
        raise UsageError(text("`{name}` must be a list of objects", name=name))
    return cast("list[Json]", items)


def _read_choices(props: object) -> Json:
    """Return what the client has chosen for the run; what it forwards to others is not read."""
    chosen: object = cast("Json", props).get("mcode", {}) if isinstance(props, dict) else {}
    fields = cast("Json", chosen) if isinstance(chosen, dict) else {"": chosen}
    for name in fields:
        if name not in CHOICES:
            raise UsageError(
                text("`forwardedProps.mcode` has no `{name}`", name=name),
                hint=text("there are: {names}", names=", ".join(CHOICES)),
            )
    return fields


def _read_content(message: Json) -> str:
    """Return the text of a user's message; raises UsageError for what is none."""
    content = message.get("content")
    parts = cast("list[Any]", content) if isinstance(content, list) else [content]
    texts = list[str]()
    for part in parts:
        value = cast("Json", part).get("text") if isinstance(part, dict) else part
        if not isinstance(value, str):
            raise UsageError(
                "a message can have text only", hint="name files in it, such as `@picture.png`"
            )
        texts.append(value)
    return "\n".join(texts)


def _describe(reason: str, hint: str) -> str:
    return "\n".join(filter(None, [translate(reason), translate(hint)]))


def _find_code(error: MaxAgentError) -> str:
    if isinstance(error, ThreadBusyError):
        return "busy"
    return "refused" if isinstance(error, UsageError) else "failed"
