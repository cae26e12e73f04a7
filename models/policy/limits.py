"""What an administrator's policy lets a model be asked: which one, where, and for how much."""

from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

from ...config.errors import UsageError
from ...config.settings.policy_file import load_managed_policy
from ...config.text import text
from ..catalog import Price, compute_cost, load_built_in

if TYPE_CHECKING:
    from langchain_core.messages import AIMessage
    from langchain_core.messages.ai import UsageMetadata

    from ...config.settings.managed_policy import ManagedPolicy
    from ..providers import Provider
    from .daily_usage import DailyUsage

# Providers whose answers come from a file of this machine
LOCAL = ("scripted", "replay")
ASK = "choose another one with `--model`, or ask whoever administers this machine"
TOMORROW = "continue with `mcode resume` tomorrow (UTC), or ask whoever administers this machine"
# Tokens of a request or an answer that a provider has not counted
UNCOUNTED = 100_000


class RequestedModel(Protocol):
    """What is known of a model that is to be asked."""

    @property
    def provider(self) -> "Provider": ...
    @property
    def model(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def base_url(self) -> str: ...


@dataclass
class RunMeter:
    """What one run has used since its last limit; clients can edit the thread, but not this."""

    turns: int = 0
    cost: float = 0.0


def check_model(resolved: RequestedModel) -> None:
    """Raise UsageError for a model or an endpoint that the policy does not allow."""
    policy = load_managed_policy()
    if policy is None:
        return
    provider = resolved.provider.name
    reason = policy.explain_refused_model(provider, resolved.model)
    if not reason and provider not in LOCAL:
        reason = policy.explain_refused_host(urlsplit(resolved.base_url).hostname or "")
    if reason:
        raise UsageError(reason, hint=ASK)


def check_request(resolved: RequestedModel) -> None:
    """Raise UsageError before a request that the policy does not allow, or not today."""
    policy = load_managed_policy()
    if policy is None:
        return
    check_model(resolved)
    if policy.keys.models is not None and not resolved.model:
        raise UsageError(
            text("the policy ({place}) needs the name of the model", place=policy.locate("models")),
            hint="name it: `--model PROVIDER/MODEL`",
        )
    limits = policy.keys.limits
    if (limits.cost or limits.cost_per_day) and _find_price(resolved, policy) is None:
        raise UsageError(
            text(
                "the policy ({place}) limits the cost, and the price of `{model}` is not known",
                place=policy.locate("limits"),
                model=resolved.name,
            ),
            hint="the policy's `prices` can name it; or choose another model with `--model`",
        )
    if usage := _open_daily_usage(policy):
        _check_day(policy, usage)


def record_request(
    resolved: RequestedModel, answer: "AIMessage | None", meter: RunMeter | None = None
) -> None:
    """Count a request for the limits of a run and of a day; no answer: it has failed."""
    policy = load_managed_policy()
    if policy is None:
        return
    cost = _compute_cost(resolved, answer, policy)
    if meter:
        meter.cost += cost
    if usage := _open_daily_usage(policy):
        usage.add(cost)


def _check_day(policy: "ManagedPolicy", usage: "DailyUsage") -> None:
    limits, total = policy.keys.limits, usage.read()
    if limits.cost_per_day and total.cost >= limits.cost_per_day:
        reason = text(
            "the policy ({place}) allows ${limit} a day, and ${spent} are spent",
            place=policy.locate("limits", "cost_per_day"),
            limit=f"{limits.cost_per_day:g}",
            spent=f"{total.cost:.4g}",
        )
        raise UsageError(reason, hint=TOMORROW)
    if limits.requests_per_day and total.requests >= limits.requests_per_day:
        reason = text(
            "the policy ({place}) allows {limit} requests a day, and they are used",
            place=policy.locate("limits", "requests_per_day"),
            limit=limits.requests_per_day,
        )
        raise UsageError(reason, hint=TOMORROW)


def _open_daily_usage(policy: "ManagedPolicy") -> "DailyUsage | None":
    limits = policy.keys.limits
    if not (limits.cost_per_day or limits.requests_per_day):
        return None
    from .daily_usage import open_daily_usage

    return open_daily_usage(limits.ledger)


def _find_price(resolved: RequestedModel, policy: "ManagedPolicy") -> Price | None:
    """Return the price by the policy, else by the built-in catalogue: never one of the user's."""
    for name, price in policy.keys.prices.items():
        if fnmatchcase(resolved.name, name):
            return Price(price.input, price.output, price.cached)
    entry = load_built_in().get(resolved.name)
    return entry.price if entry else None


def _compute_cost(
    resolved: RequestedModel, answer: "AIMessage | None", policy: "ManagedPolicy"
) -> float:
    if answer is None:
        return 0.0
    uncounted: UsageMetadata = {
        "input_tokens": UNCOUNTED,
        "output_tokens": 0,
        "total_tokens": UNCOUNTED,
    }
    usage = answer.usage_metadata or uncounted
    return compute_cost(_find_price(resolved, policy), usage) or 0.0
