"""What a view consists of, in one line: why a window is full again (pure)."""

from collections import Counter
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, ToolMessage

from ...config.text import join_texts, text
from ..conversation.token_estimate import estimate_message
from ..run.agent import Agent

# Kinds that are named
MAX_KINDS = 4


def describe_view(view: Sequence[AnyMessage], agent: Agent) -> str:
    """Return the largest parts of a request with their estimated tokens."""
    sizes = Counter[str]()
    sizes[text("system prompt")] += agent.system_tokens
    sizes[text("descriptions of tools")] += agent.tool_tokens
    for message in view:
        sizes[_name_kind(message)] += estimate_message(message)
    parts = (
        text("{what} {tokens}", what=part, tokens=f"{tokens:,}")
        for part, tokens in sizes.most_common(MAX_KINDS)
    )
    return join_texts(", ", [*parts])


def _name_kind(message: AnyMessage) -> str:
    if isinstance(message, ToolMessage):
        return text("results of `{tool}`", tool=message.name or "?")
    if isinstance(message, AIMessage):
        return text("answers of the model")
    return (
        text("notes and summary")
        if message.additional_kwargs.get("synthetic")
        else text("your messages")
    )
