"""Whether a role's next request fits its model, and what to ask of `compact` if it does not."""

from collections.abc import Sequence
from dataclasses import replace

from langchain_core.messages import AIMessage, AnyMessage
from langgraph.runtime import Runtime

from ...config.text import text
from ...models.errors import ContextOverflowError
from ...models.http.dialect import RequestOptions
from ...models.resolver import list_corrections
from ..conversation.budget import Budget, compute_budget, count_request, limit_answer
from ..conversation.cut import CompactionRequest, Cut, get_conversation
from ..conversation.token_estimate import TokenCount, count_used, estimate_text
from ..events.model import Retrying
from ..events.progress import Notice
from ..roles import RoleName
from ..run.agent import Agent
from ..run.context import Context, get_thread_id
from ..run.emit import emit
from ..state import State

# Compactions for one request: by a summary, then by the bridge
MAX_ATTEMPTS = 2
# Share of a window that what each request needs may take: less is learnt from no refusal
MAX_FIXED = 0.6
CROWDED = (
    "The system prompt with the instructions ({system} tokens), {count} tools ({tools}) and the "
    "context message ({context}) take more than 40 % of the {window} tokens of `{model}`; "
    "switch tools off with `tools.disabled`, or shorten the instruction files"
)

BY_HAND = (
    "compact it with `mcode threads compact {thread}`, then resume it; "
    "or set `context.auto_compact: true`"
)


def find_budget(state: State, agent: Agent) -> Budget:
    """Return what fits the agent's model."""
    deps = agent.deps
    fixed = agent.system_tokens + agent.tool_tokens + _count_context(state)
    learnt = deps.chat_models.learnt_limits.find_limit(deps.model)
    return compute_budget(deps.model, deps.settings.context, fixed, learnt)


async def ask_service_window(agent: Agent) -> None:
    """Let the model's service say its window, unless the user has set one."""
    settings, model = agent.deps.settings, agent.deps.model
    is_set = "context_length" in settings.model.model_fields_set
    if not is_set and "context_length" not in list_corrections(settings, model):
        await agent.deps.chat_models.learnt_limits.ask_service(model)


def find_cut(state: State, role: RoleName) -> Cut | None:
    """Return the cut of the role's conversation."""
    return state.get("cuts", {}).get(get_conversation(role))


def find_oversize(
    state: State,
    runtime: Runtime[Context],
    agent: Agent,
    role: RoleName,
    view: Sequence[AnyMessage],
) -> CompactionRequest | None:
    """Return the request for a compaction if this view does not fit; None if it may be sent.

    What was compacted for this request is sent as it is: the model decides.
    """
    budget = find_budget(state, agent)
    if budget.is_crowded and not state.get("steps"):
        _warn_crowded(state, runtime, agent, budget)
    if state.get("compaction") or not agent.deps.settings.context.auto_compact:
        return None
    count = count_request(view, find_cut(state, role), budget)
    if budget.fits(count):
        return None
    return CompactionRequest(role=role, reason="limit", focus="", tokens=count.used, attempt=1)


def fit_answer(
    options: RequestOptions,
    state: State,
    agent: Agent,
    role: RoleName,
    request: Sequence[AnyMessage],
) -> RequestOptions:
    """Return the options with as many tokens for the answer as the request leaves."""
    budget, usual = find_budget(state, agent), agent.deps.model.max_tokens
    used = count_request(request, find_cut(state, role), budget).used
    tokens = limit_answer(budget, used, usual)
    return options if tokens == usual else replace(options, max_tokens=tokens)


async def learn_answer(agent: Agent, answer: AIMessage) -> None:
    """Let an answer to a request beyond what was learnt of the model correct that."""
    if usage := answer.usage_metadata:
        learnt = agent.deps.chat_models.learnt_limits
        await learnt.learn_answer(agent.deps.model, usage["input_tokens"] + usage["output_tokens"])


async def answer_overflow(
    state: State,
    runtime: Runtime[Context],
    agent: Agent,
    role: RoleName,
    request: Sequence[AnyMessage],
    error: ContextOverflowError,
) -> CompactionRequest:
    """Return the request for a compaction after a model has refused this request as too long.

    Raises the error if compaction is off, or has not helped.
    """
    attempt = (state.get("compaction") or {"attempt": 0})["attempt"] + 1
    if not agent.deps.settings.context.auto_compact:
        error.hint = text(BY_HAND, thread=get_thread_id(runtime)[:8])
        raise error
    if attempt > MAX_ATTEMPTS:
        raise error
    budget = find_budget(state, agent)
    count: TokenCount = count_used(request, find_cut(state, role), budget.fixed)
    learnt = agent.deps.chat_models.learnt_limits
    least = round(budget.fixed * count.scale / MAX_FIXED)
    await learnt.learn_refusal(agent.deps.model, count.used, error, least)
    emit(runtime, Retrying(reason=error.message, seconds=0.0, attempt=attempt))
    return CompactionRequest(
        role=role, reason="overflow", focus="", tokens=count.used, attempt=attempt
    )


def _count_context(state: State) -> int:
    content = state.get("context_message", "")
    return estimate_text(content) if content else 0


def _warn_crowded(state: State, runtime: Runtime[Context], agent: Agent, budget: Budget) -> None:
    notice = text(
        CROWDED,
        system=f"{agent.system_tokens:,}",
        count=len(agent.offered),
        tools=f"{agent.tool_tokens:,}",
        context=f"{_count_context(state):,}",
        window=f"{budget.window:,}",
        model=agent.deps.model.name,
    )
    emit(runtime, Notice(notice))
