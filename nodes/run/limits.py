"""Usage, and the limits of a run: model turns and cost. At a limit the thread stops.

A resume grants the same amount again. Limits are checked before each request, so the last request
may exceed a cost limit.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ...config.settings.policy_file import load_managed_policy
from ...config.text import join_texts, text
from ...models.catalog import compute_cost
from ...models.policy.limits import RunMeter
from ..events.model import TokenUsage
from ..events.progress import Notice
from ..state import State, Usage
from .context import Context
from .dependencies import Dependencies
from .emit import emit

REQUEST_FIELDS = ("input", "output", "cached", "cost", "seconds")
NOTHING_USED = Usage(requests=0, input=0, output=0, cached=0, cost=0.0, seconds=0.0)
NO_PRICE = "The limit of ${limit} cannot be enforced: the price of `{model}` is unknown"
NO_TOTAL = "The limit of ${limit} cannot be enforced: the earlier cost of the thread is unknown"


@dataclass(frozen=True)
class UsageLimit:
    """One limited quantity."""

    description: str
    used: float
    """Used by the thread in total."""
    allowed: float
    """Allowed in total so far."""
    grant: float
    """Granted to each run; 0: no limit."""

    @property
    def is_reached(self) -> bool:
        """Whether the limit is reached."""
        return bool(self.grant) and self.used >= self.allowed


def enforce_limits(state: State, runtime: Runtime[Context], deps: Dependencies) -> dict[str, Any]:
    """Return the new totals allowed, for the state; stop the thread at a limit."""
    if not state.get("steps_allowed"):
        _warn_unknown_cost(state, runtime, deps)
    limits = {
        "steps_allowed": _build_turn_limit(state, deps),
        "cost_allowed": _build_cost_limit(state),
    }
    if runtime.context.sub_id:  # it reports what it has instead of stopping
        return {name: limit.allowed for name, limit in limits.items()}
    reached = [limit.description for limit in limits.values() if limit.is_reached]
    if reached := [*reached, *meter_turn(runtime.context.meter)]:
        question = {"type": "limit", "description": join_texts(" and ", reached)}
        limits["steps_allowed"] = _extend_turns(limits["steps_allowed"], interrupt(question))
        reset_meter(runtime.context.meter)
    return {
        name: limit.allowed + (limit.grant if limit.is_reached else 0)
        for name, limit in limits.items()
    }


def _extend_turns(limit: UsageLimit, answer: object) -> UsageLimit:
    """Return the limit with the turns that the user grants; by default as many as before."""
    turns = cast("Mapping[str, Any]", answer).get("turns") if isinstance(answer, Mapping) else None
    return (
        replace(limit, grant=limit_turns(turns)) if isinstance(turns, int) and turns > 0 else limit
    )


def count_usage(answer: AIMessage, seconds: float, deps: Dependencies) -> Usage:
    """Return the usage of one request; empty if the provider reports none."""
    usage = answer.usage_metadata
    if usage is None:
        return {**NOTHING_USED, "requests": 1, "seconds": seconds}
    return Usage(
        requests=1,
        input=usage["input_tokens"],
        output=usage["output_tokens"],
        cached=usage.get("input_token_details", {}).get("cache_read", 0),
        cost=compute_cost(deps.model.price, usage),
        seconds=seconds,
    )


def add_usage(before: Usage, request_usage: Usage) -> Usage:
    """Return the sum; its cost is unknown if one of them is."""
    has_cost = before["cost"] is not None and request_usage["cost"] is not None
    return Usage(
        requests=before["requests"] + request_usage["requests"],
        input=before["input"] + request_usage["input"],
        output=before["output"] + request_usage["output"],
        cached=before["cached"] + request_usage["cached"],
        cost=(before["cost"] or 0.0) + (request_usage["cost"] or 0.0) if has_cost else None,
        seconds=round(before.get("seconds", 0.0) + request_usage.get("seconds", 0.0), 3),
    )


def emit_usage(
    runtime: Runtime[Context],
    answer: AIMessage,
    used: Usage,
    request_usage: Usage,
    deps: Dependencies,
) -> None:
    """Emit the totals `used` after an answer, which took `request_usage`."""
    learnt = deps.chat_models.learnt_limits.find_limit(deps.model)
    emit(
        runtime,
        TokenUsage(
            **used,
            window=answer.usage_metadata["input_tokens"] if answer.usage_metadata else 0,
            context_length=learnt or deps.model.context_length,
            request={name: request_usage.get(name) for name in REQUEST_FIELDS},
        ),
    )


def _build_turn_limit(state: State, deps: Dependencies) -> UsageLimit:
    chosen = state.get("options", {}).get("max_turns")
    turns, used = limit_turns(chosen or deps.turns), state.get("steps", 0)
    return UsageLimit(
        text("1 model turn used") if turns == 1 else text("{turns} model turns used", turns=turns),
        used,
        state.get("steps_allowed") or used + turns,
        turns,
    )


def _build_cost_limit(state: State) -> UsageLimit:
    limit, spent = state.get("options", {}).get("max_cost"), _get_cost(state)
    if not limit or spent is None:
        return UsageLimit("", 0.0, 0.0, 0.0)
    return UsageLimit(
        text("at least ${limit} spent", limit=f"{limit:g}"),
        spent,
        state.get("cost_allowed") or spent + limit,
        limit,
    )


def _warn_unknown_cost(state: State, runtime: Runtime[Context], deps: Dependencies) -> None:
    limit = state.get("options", {}).get("max_cost")
    template = NO_TOTAL if deps.model.price else NO_PRICE
    if limit and (_get_cost(state) is None or template is NO_PRICE):
        emit(runtime, Notice(text(template, limit=f"{limit:g}", model=deps.model.name)))


def _get_cost(state: State) -> float | None:
    return state.get("usage", NOTHING_USED)["cost"]


def limit_turns(turns: int) -> int:
    """Return the model turns of a run, as the policy lets them be."""
    policy = load_managed_policy()
    most = policy.keys.limits.turns if policy else None
    return min(turns, most) if most else turns


def meter_turn(meter: RunMeter) -> list[str]:
    """Count a model turn that is about to begin; return the policy's limits that are reached."""
    policy = load_managed_policy()
    if policy is None:
        return []
    limits, reached = policy.keys.limits, list[str]()
    if limits.turns and meter.turns >= limits.turns:
        reached.append(
            text(
                "{turns} model turns used, as the policy ({place}) allows",
                turns=limits.turns,
                place=policy.locate("limits", "turns"),
            )
        )
    if limits.cost and meter.cost >= limits.cost:
        reached.append(
            text(
                "${limit} spent, as the policy ({place}) allows",
                limit=f"{limits.cost:g}",
                place=policy.locate("limits", "cost"),
            )
        )
    meter.turns += 1
    return reached


def reset_meter(meter: RunMeter) -> None:
    """Begin to count again: the user has let the run go on."""
    meter.turns, meter.cost = 1, 0.0
