"""The limit of a request's size, what each part of a view may take of it, and views beyond it."""

from collections.abc import Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage

from ...config.settings.schema import ContextSection
from ...models.resolver import ResolvedModel
from .cut import Cut
from .token_estimate import MAX_SCALE, TokenCount, count_used, estimate_tokens, find_reported

# Shares of the window: the most that is kept free for an answer, and what estimates may miss
ANSWER_SHARE, MARGIN_SHARE = 0.2, 0.04
# Share of the window that system prompt, tools and the context message may take
FIXED_SHARE = 0.4
# Share of the limit that messages must take before there is something to leave out
MIN_SHARE = 0.1


@dataclass(frozen=True)
class Room:
    """Tokens that each part of a view may take."""

    results: int
    """The newest results, which are never pruned."""
    freed: int
    """What pruning must free to be worth a lost prompt cache."""
    requests: int
    """The user's own messages that stay word for word."""
    summary: int
    """The summary."""
    tail: int
    """The newest messages that stay after a cut."""


def compute_room(window: int, safe_zone: int = 40_000) -> Room:
    """Return the room of a window of so many tokens; `safe_zone` is the setting.

    Each part has the smaller of a number and a share of the window.
    """
    return Room(
        results=min(safe_zone, window * 40 // 100),
        freed=min(20_000, window * 10 // 100),
        requests=min(20_000, window * 25 // 100),
        summary=min(4_000, window * 10 // 100),
        tail=min(20_000, window * 20 // 100),
    )


@dataclass(frozen=True)
class Budget:
    """What fits a model."""

    window: int
    limit: int
    """Tokens of a request from which on its view is compacted."""
    most: int
    """Tokens of a request with a short answer that still fit."""
    fixed: int
    """Estimated tokens of what precedes the view in each request."""
    answer: int
    """Tokens that are kept free for an answer."""
    room: Room

    @property
    def is_crowded(self) -> bool:
        """Return whether what precedes the view takes more than its share."""
        return self.fixed > self.window * FIXED_SHARE

    def fits(self, count: TokenCount) -> bool:
        """Return whether a request of this size may be sent, or has nothing to leave out."""
        messages = count.used - self.fixed * count.scale
        return count.used <= self.limit or messages <= self.limit * MIN_SHARE


def compute_budget(
    model: ResolvedModel, settings: ContextSection, fixed: int, learnt: int = 0
) -> Budget:
    """Return what fits the model; `learnt` is its window if it reads less than is said; 0: no."""
    window = min(model.context_length, learnt or model.context_length)
    margin = round(window * MARGIN_SHARE)
    answer = min(model.max_tokens, round(window * ANSWER_SHARE))
    limit = min(
        window - answer - margin,
        round(window * settings.compact_at),
        settings.compact_tokens,
    )
    # what precedes the view takes its part of the window first
    room = compute_room(max(limit - fixed, 0), settings.protected_tokens)
    return Budget(window, limit, window - margin, fixed, answer, room)


def limit_answer(budget: Budget, used: int, usual: int) -> int:
    """Return the most tokens of an answer after a request of this size; `usual` if all fit.

    Some servers refuse a request whose answer would not fit if it took all that it may.
    """
    return min(usual, max(budget.most - used, budget.answer))


def count_request(view: Sequence[AnyMessage], cut: Cut | None, budget: Budget) -> TokenCount:
    """Return the size of the next request; only roughly, and cheap, if it clearly fits."""
    at = find_reported(view, cut, budget.fixed)
    if at is not None:
        answer = view[at]
        usage = answer.usage_metadata if isinstance(answer, AIMessage) else None
        reported_tokens = usage["input_tokens"] + usage["output_tokens"] if usage else 0
        most = reported_tokens + round(estimate_tokens(view[at + 1 :]) * MAX_SCALE)
        if most <= budget.limit:
            return TokenCount(most, 1.0, True)
    return count_used(view, cut, budget.fixed)
