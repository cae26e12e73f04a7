"""Limits of a run: model turns and cost. At a limit the thread stops; a resume grants more.

A resume grants the same amount again. Limits are checked before each request, so the last request
may exceed a cost limit.
"""

from dataclasses import dataclass
from typing import Any

from langgraph.runtime import Runtime
from langgraph.types import interrupt

from ...config.text import join_texts, text
from ..state import State, Usage
from .context import Context
from .dependencies import Dependencies
from .emit import emit_event

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
    if reached := [limit.description for limit in limits.values() if limit.is_reached]:
        interrupt({"type": "limit", "description": join_texts(" and ", reached)})
    return {
        name: limit.allowed + (limit.grant if limit.is_reached else 0)
        for name, limit in limits.items()
    }


def _build_turn_limit(state: State, deps: Dependencies) -> UsageLimit:
    chosen = state.get("options", {}).get("max_turns")
    turns, used = chosen or deps.turns, state.get("steps", 0)
    return UsageLimit(
        text("{turns} model turns used", turns=turns),
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
    words = NO_TOTAL if deps.model.price else NO_PRICE
    if limit and (_get_cost(state) is None or words is NO_PRICE):
        emit_event(runtime, "notice", text=text(words, limit=f"{limit:g}", model=deps.model.name))


def _get_cost(state: State) -> float | None:
    return state.get("usage", NOTHING_USED)["cost"]
