"""Events of a run: nodes never print, they write to the run's stream."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from langchain_core.messages import ToolMessage
from langgraph.runtime import Runtime

from ...config.security.redaction import redact_json
from ..events.agent import AgentEvent
from ..events.context import MemoryShown
from ..events.progress import ModeChanged
from ..events.tool import ToolResult
from ..events.union import Event, as_json
from ..options import Options
from .context import Context
from .modes import get_mode

if TYPE_CHECKING:
    from ...memory.cards.card import Card


def emit(runtime: Runtime[Context], event: Event) -> None:
    """Send one event with secrets removed, and with the ID of the sub-agent that sends it."""
    context = runtime.context
    if context.sub_id and isinstance(event, AgentEvent):
        event = replace(event, agent=context.sub_id)
    # a nested graph's own writer drops everything unless its caller streams nested graphs
    write = context.writer or runtime.stream_writer
    write(redact_json(as_json(event)))


def emit_cards(runtime: Runtime[Context], cards: "Sequence[Card]") -> None:
    """Emit the cards that the model is shown; nothing if there are none."""
    if cards:
        emit(
            runtime,
            MemoryShown(
                [{"id": card.id, "type": card.type, "content": card.content} for card in cards]
            ),
        )


def emit_mode(runtime: Runtime[Context], options: Options) -> None:
    """Emit the mode from here on, and its agent."""
    plan = options.get("plan_file", "") if options.get("plan") else ""
    emit(runtime, ModeChanged(get_mode(options), options.get("speaker", ""), plan))


def emit_result(
    runtime: Runtime[Context],
    message: ToolMessage,
    args: Mapping[str, object] | None = None,
    *,
    refused: str | None = None,
    answered: bool = False,
) -> None:
    """Emit the answer to a call that did not run.

    `refused` is the text of the user who denied it; `answered`: the text is the user's own.
    """
    ok, text = message.status == "success", str(message.text)
    metadata: dict[str, object] = {} if refused is None else {"refused": refused}
    if answered:
        metadata["answered"] = True
    emit(
        runtime,
        ToolResult(
            id=message.tool_call_id,
            tool=message.name or "",
            ok=ok,
            output=text if ok else "",
            error="" if ok else text,
            metadata=metadata,
            args=dict(args or {}),
        ),
    )
