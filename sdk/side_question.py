"""A question beside a conversation: the model answers from the same context, and nothing is kept.

The request is that of the conversation's next turn, with the question at its end and without calls.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from langchain_core.messages import AIMessage, AnyMessage, BaseMessage, HumanMessage, ToolMessage

from ..config.security.redaction import redact
from ..models.invoke import invoke_model, invoke_with_less_thinking
from ..models.policy.limits import check_request, record_request
from ..nodes.messages.context_message import to_context_messages
from ..nodes.run.agent import load_agent
from ..nodes.run.message_history import select_view
from ..nodes.run.modes import get_mode
from ..nodes.run.request_options import build_request_options
from .threads.context_usage import StateReader
from .tracing import disable_tracing

TEMPLATE = (
    "The user asks on the side. Answer briefly, from what this conversation "
    "shows; call no tool and change no plan. The conversation goes on without this question and "
    "its answer.\n\n{question}"
)


@dataclass(frozen=True)
class SideReply:
    """The answer, and what it took."""

    text: str
    input_tokens: int
    output_tokens: int


async def ask_side_question(reader: StateReader, thread: str, question: str) -> SideReply:
    """Return the answer to a question on a thread's context; neither is stored.

    Raises ModelCallError as a turn does; nothing is repeated.
    """
    state, context = await reader.read_state(thread)
    role = get_mode(state.get("options", {}))
    agent = await load_agent(role, state, context, state.get("fallback", ""))
    request: list[BaseMessage] = [
        agent.system,
        *to_context_messages(state.get("context_message", "")),
        *drop_open_calls(select_view(state, role)),
        HumanMessage(TEMPLATE.format(question=redact(question))),
    ]
    options = replace(build_request_options(state, role), tool_choice="none")
    check_request(agent.deps.model)
    with disable_tracing():
        answer = await invoke_with_less_thinking(
            lambda sent: invoke_model(agent.model, request, options=sent),
            options,
            lambda _: None,
        )
    record_request(agent.deps.model, answer)
    used = answer.usage_metadata or {}
    return SideReply(
        str(answer.text), int(used.get("input_tokens", 0)), int(used.get("output_tokens", 0))
    )


def drop_open_calls(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """Return the messages before the first answer whose calls have no results yet."""
    answered = {message.tool_call_id for message in messages if isinstance(message, ToolMessage)}
    for position, message in enumerate(messages):
        if isinstance(message, AIMessage) and any(
            call["id"] not in answered for call in message.tool_calls
        ):
            return list(messages[:position])
    return list(messages)
