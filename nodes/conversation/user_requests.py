"""Requests to a role in a conversation: which stay word for word, and how they are shown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from .budget import Room
from .token_estimate import estimate_message

COMPLETION = "attempt_completion"
DONE = "Earlier request, done:\n\n{text}"
EARLIER = "Earlier request:\n\n{text}"
# Characters of each end of a message that is too long to be sent
EXCERPT = 800
REFERENCE = (
    "{start}\n\n[… {count:,} characters are left out here; to read them: "
    'command_output(id="{id}") …]\n\n{end}'
)


@dataclass(frozen=True)
class KeptRequests:
    """Messages of the user that are sent although they are hidden."""

    kept: tuple[str, ...]
    """Their IDs, in order."""
    too_long: tuple[str, ...]
    """Those of them of which only the ends are sent."""


def is_request(message: AnyMessage) -> bool:
    """Return whether the user, or another role, asks for something; notes of the graph do not."""
    return isinstance(message, HumanMessage) and not message.additional_kwargs.get("synthetic")


def ends_turn(message: AnyMessage) -> bool:
    """Return whether the message is an answer without calls."""
    return isinstance(message, AIMessage) and not (message.tool_calls or message.invalid_tool_calls)


def find_newest_request(messages: Sequence[AnyMessage]) -> AnyMessage | None:
    """Return the newest request; None if there is none."""
    return next((message for message in reversed(messages) if is_request(message)), None)


def is_too_long(message: AnyMessage, tokens: int) -> bool:
    """Return whether a message has more tokens, and its ends are clearly shorter."""
    return estimate_message(message) > tokens and len(str(message.text)) > 3 * EXCERPT


def select_kept_requests(
    hidden: Sequence[AnyMessage], room: Room, scale: float = 1.0
) -> KeptRequests:
    """Return which of the hidden requests stay: the newest, the first, then back from the newest.

    What is too long for all the room, or for what is left of it, stays with its ends alone.
    """
    requests = [message for message in hidden if is_request(message)]
    kept_ids, too_long = set[str](), set[str]()
    left = round(room.requests / scale)
    for message in [*requests[-1:], *requests[:1], *reversed(requests[1:-1])]:
        name, tokens = str(message.id), estimate_message(message)
        if name in kept_ids:
            continue
        if tokens > left and is_too_long(message, left):
            tokens = min(tokens, EXCERPT)
            too_long |= {name} if tokens <= left or not kept_ids else set()
        if tokens <= left or not kept_ids:
            kept_ids.add(name)
            left -= tokens
    order = [str(message.id) for message in requests]
    return KeptRequests(
        tuple(name for name in order if name in kept_ids),
        tuple(name for name in order if name in too_long),
    )


def find_done_requests(messages: Sequence[AnyMessage]) -> set[str]:
    """Return the IDs of the requests that were answered before the next one came."""
    done, open_request = set[str](), ""
    for message in messages:
        if is_request(message):
            open_request = str(message.id)
        elif open_request and _finishes_request(message):
            done.add(open_request)
    return done


def _finishes_request(message: AnyMessage) -> bool:
    """Return whether it is a whole answer, or the result of a completion."""
    if isinstance(message, ToolMessage):
        return message.name == COMPLETION and message.status == "success"
    return ends_turn(message) and not message.additional_kwargs.get("interrupted")


def render_request(
    message: AnyMessage, references: Mapping[str, str], form: str = "{text}"
) -> AnyMessage:
    """Return the message as it is sent: itself, or a copy with another text."""
    words = str(message.text)
    output_id = references.get(str(message.id))
    if output_id and len(words) > 2 * EXCERPT:
        words = REFERENCE.format(
            start=words[:EXCERPT],
            end=words[-EXCERPT:],
            count=len(words) - 2 * EXCERPT,
            id=output_id,
        )
    words = form.replace("{text}", words)
    return message if words == message.text else message.model_copy(update={"content": words})
