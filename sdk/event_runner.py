"""A Runner that sends the events of its runs elsewhere, such as to a web page."""

import inspect
import json
from collections.abc import AsyncIterable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from ..config.arguments import validate_arguments
from ..config.errors import UsageError
from ..config.settings.hook_entries import HookEvent
from ..config.settings.hooks import HookFunction
from .events import Event
from .runner import Runner
from .runs.event_messages import EventMessage, EventMessages
from .runs.result import RunResult, build_result

if TYPE_CHECKING:
    from langchain_core.language_models.chat_models import BaseChatModel

    from ..tools.runtime.program_tools import ProgramTool
    from .runs.question_callback import OnQuestion


class TextFile(Protocol):
    """An open file: a message is a line of JSON."""

    def write(self, text: str, /) -> object:
        """Write a line."""
        ...

    def flush(self) -> object:
        """Let the reader see it."""
        ...


class MessageQueue(Protocol):
    """A queue of `asyncio` or `queue`: a message is an item."""

    def put(self, item: Any, /) -> object:
        """Add an item, perhaps later."""
        ...


Sink = Callable[[EventMessage], object] | TextFile | MessageQueue


class EventRunner(Runner):
    """A Runner that sends each event of a run as a message to a function, a file or a queue.

        async with EventRunner(send) as runner:
            result = await runner.run(runner.task("Repair the test", folder="."))

    What a sink returns is awaited, if it can be: a slow reader slows the run down.
    """

    @validate_arguments
    def __init__(
        self,
        sink: "Sink",
        *,
        home: Path | str | None = None,
        on_question: "OnQuestion | None" = None,
        tools: "Sequence[ProgramTool]" = (),
        model: "BaseChatModel | None" = None,
        hooks: Mapping[HookEvent, Sequence[HookFunction]] | None = None,
    ) -> None:
        """Raise UsageError for a sink that takes no messages; the rest is as in `Runner`."""
        self._send = _open_sink(sink)
        super().__init__(home=home, on_question=on_question, tools=tools, model=model, hooks=hooks)

    @validate_arguments
    async def run(self, events: AsyncIterable[Event]) -> RunResult:
        """Send the events of a run to its end; raises MaxAgentError if it failed."""
        messages, sent = EventMessages(), list[Event]()
        async for event in events:
            sent.append(event)
            for message in messages.build(event):
                result = self._send(message)
                if inspect.isawaitable(result):
                    await result
        return build_result(sent)


def _open_sink(sink: Sink) -> Callable[[EventMessage], object]:
    if callable(sink):
        return sink
    put, write = getattr(sink, "put", None), getattr(sink, "write", None)
    if not callable(put) and not callable(write):
        raise UsageError(
            "messages can be sent to a function, an open file or a queue",
            hint="such as `EventRunner(print)`",
        )
    return put if callable(put) else partial(_write_line, cast(TextFile, sink))


def _write_line(file: TextFile, message: EventMessage) -> None:
    file.write(f"{json.dumps(message, ensure_ascii=False)}\n")
    file.flush()
