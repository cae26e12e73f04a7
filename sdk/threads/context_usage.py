"""What fills a model's window: the tokens of a thread's next request, by kind."""

import asyncio
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage

from ...nodes.conversation.budget import compute_budget
from ...nodes.conversation.cut import get_conversation
from ...nodes.conversation.token_estimate import count_used, estimate_message, estimate_text
from ...nodes.conversation.user_requests import is_request
from ...nodes.messages.instruction_blocks import format_instructions
from ...nodes.run.agent import Agent, load_agent
from ...nodes.run.context import Context
from ...nodes.run.dependencies import Dependencies
from ...nodes.run.message_history import select_view
from ...nodes.state import State

ContextKind = Literal[
    "system",
    "instructions",
    "tools",
    "memory",
    "summary",
    "user",
    "notes",
    "answers",
    "thinking",
    "results",
]
KINDS: tuple[ContextKind, ...] = ContextKind.__args__
# Tools whose results are named
MAX_TOOLS = 4


@dataclass(frozen=True)
class ContextUsage:
    """The next request of a thread."""

    conversation: str
    """`architect`, `coder`, `tester`, `editor` or `chat`."""
    model: str
    window: int
    """Tokens that the model can read; 0: unknown."""
    limit: int
    """Tokens from which on the conversation is compacted; 0: it never is."""
    used: int
    is_reported: bool
    """Whether most of `used` is the provider's own count."""
    cached: float | None
    """Share of the last request that the provider's cache answered; None: unknown."""
    is_cut: bool
    """Whether older messages are left out or shortened."""
    parts: Mapping[str, int]
    """Tokens of each kind; together `used`."""
    results: Mapping[str, int] = field(default_factory=dict[str, int])
    """Tokens of the largest tools' results."""
    is_learnt: bool = False
    """Whether `window` was learnt from a refusal: the model is said to read more."""

    @property
    def free(self) -> int:
        """Tokens that are left of the window."""
        return max(self.window - self.used, 0)


class StateReader(Protocol):
    """A `Runner`, for one that only reads."""

    async def read_state(self, thread: str) -> tuple[State, Context]:
        """Return a thread's state, and the context of its runs."""
        ...


async def measure_context(runner: StateReader, thread: str) -> ContextUsage:
    """Return what the thread's next request consists of. Raises UsageError for an unknown one."""
    state, context = await runner.read_state(thread)
    role = state.get("role", "build")
    agent = await load_agent(role, state, context, state.get("fallback", ""))
    return await asyncio.to_thread(compute_usage, state, agent)


def compute_usage(state: State, agent: Agent) -> ContextUsage:
    """Return the sizes of this agent's next request."""
    role, deps = state.get("role", "build"), agent.deps
    conversation = get_conversation(role)
    view, cut = select_view(state, role), state.get("cuts", {}).get(conversation)
    estimated = _estimate_fixed(state, agent)
    count = count_used(view, cut, sum(estimated.values()))
    results = Counter[str]()
    for message in view:
        estimated += _estimate_parts(message)
        if isinstance(message, ToolMessage):
            results[message.name or "?"] += estimate_message(message)
    scale = count.used / max(estimated.total(), 1)
    learnt = deps.chat_models.learnt_limits.find_limit(deps.model)
    return ContextUsage(
        conversation=conversation,
        model=deps.model.name,
        window=learnt or deps.model.context_length,
        limit=compute_limit(deps),
        used=count.used,
        is_reported=count.is_reported,
        cached=_read_cached_share(state.get("messages", [])),
        is_cut=cut is not None,
        parts={kind: round(estimated[kind] * scale) for kind in KINDS},
        results={name: round(size * scale) for name, size in results.most_common(MAX_TOOLS)},
        is_learnt=learnt > 0,
    )


def compute_limit(deps: Dependencies) -> int:
    """Return the tokens from which on a conversation is compacted; 0: it never is by itself."""
    if not deps.settings.context.auto_compact:
        return 0
    learnt = deps.chat_models.learnt_limits.find_limit(deps.model)
    return compute_budget(deps.model, deps.settings.context, 0, learnt).limit


def _estimate_fixed(state: State, agent: Agent) -> Counter[str]:
    instructions = format_instructions(agent.deps.sources.instructions)
    instruction_tokens = estimate_text(instructions) if instructions else 0
    context = state.get("context_message", "")
    return Counter(
        system=max(agent.system_tokens - instruction_tokens, 0),
        instructions=instruction_tokens,
        tools=agent.tool_tokens,
        memory=estimate_text(context) if context else 0,
    )


def _estimate_parts(message: AnyMessage) -> Counter[str]:
    """Return the tokens of one message by kind; an answer has its thinking apart."""
    size = estimate_message(message)
    if isinstance(message, ToolMessage):
        return Counter(results=size)
    if isinstance(message, AIMessage):
        thinking = str(message.additional_kwargs.get("reasoning_content", ""))
        thought = min(estimate_text(thinking), size) if thinking else 0
        return Counter(answers=size - thought, thinking=thought)
    if is_request(message):
        return Counter(user=size)
    if str(message.id).startswith("summary-"):
        return Counter(summary=size)
    has_instructions = isinstance(message, HumanMessage) and message.additional_kwargs.get(
        "instructions"
    )
    return Counter(instructions=size) if has_instructions else Counter(notes=size)


def _read_cached_share(messages: Sequence[AnyMessage]) -> float | None:
    for message in reversed(messages):
        if isinstance(message, AIMessage) and (usage := message.usage_metadata):
            cached = usage.get("input_token_details", {}).get("cache_read", 0)
            return cached / usage["input_tokens"] if usage["input_tokens"] else None
    return None
