"""What an administrator's policy lets a model be asked: which one, where, and for how much."""

import os
import pwd
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from fnmatch import fnmatchcase
from pathlib import Path
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


@dataclass(frozen=True)
class DayTotal:
    """What a day's requests sum up to."""

    requests: int
    cost: float
    """US dollars."""


@dataclass(frozen=True)
class DailyUsage:
    """The file of today."""

    file: Path

    def read(self) -> DayTotal:
        """Sum up today's requests; raises UsageError for a file that cannot be read."""
        try:
            lines = self.file.read_text("ascii", errors="replace").split()
        except FileNotFoundError:
            return DayTotal(0, 0.0)
        except OSError as error:
            raise self._build_error(error) from error
        costs = [_read_cost(line) for line in lines]
        return DayTotal(len(costs), sum(costs))

    def add(self, cost: float) -> None:
        """Add one request; raises UsageError for a file that cannot be written."""
        try:
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with self.file.open("ab", buffering=0) as file:
                file.write(f"{cost:.8f}\n".encode())
        except OSError as error:
            raise self._build_error(error) from error

    def _build_error(self, error: OSError) -> UsageError:
        return UsageError(
            text(
                "the policy limits what a day may cost, and `{file}` cannot be used: {reason}",
                file=self.file,
                reason=error.strerror,
            ),
            hint="make it a file that you can read and write",
        )


def open_daily_usage(folder: str) -> DailyUsage:
    """Return the file of today and of this user; `folder` is the policy's own, or empty."""
    user = os.getuid()
    above = Path(folder) if folder else Path(_find_home(user), ".local/state/maxagent")
    return DailyUsage(above / f"usage-{user}-{datetime.now(UTC):%Y-%m-%d}")


def _find_home(user: int) -> str:
    """Return the user's home folder as the system knows it: `HOME` may be changed."""
    with suppress(KeyError):
        return pwd.getpwuid(user).pw_dir
    return "/var/tmp"  # noqa: S108 - a user without a home still has one file a day


def _read_cost(line: str) -> float:
    """Read one line; what is not a cost above 0 counts as nothing taken back."""
    try:
        return max(0.0, float(line))
    except ValueError:
        return 0.0
